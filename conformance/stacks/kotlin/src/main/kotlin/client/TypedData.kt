package client

import gateway.model.PaymentAuthorization
import gateway.model.PaymentRequirements
import java.math.BigInteger

private const val DOMAIN_TYPE =
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
private const val AUTHORIZATION_TYPE =
  "TransferWithAuthorization(address from,address to,uint256 value," +
    "uint256 validAfter,uint256 validBefore,bytes32 nonce)"
private const val WORD_DIGITS = 64

/** Returns the EIP-712 digest of an authorization. */
fun hashTypedData(offer: PaymentRequirements, authorization: PaymentAuthorization): ByteArray {
  val chainId = offer.network.value.substringAfter(':').toBigInteger()
  val domain =
    hashStruct(
      DOMAIN_TYPE,
      hashText(offer.extra.name),
      hashText(offer.extra.version.value),
      encodeNumber(chainId),
      encodeHex(offer.asset),
    )
  val message =
    hashStruct(
      AUTHORIZATION_TYPE,
      encodeHex(authorization.from),
      encodeHex(authorization.to),
      encodeNumber(authorization.value.toBigInteger()),
      encodeNumber(authorization.validAfter.toBigInteger()),
      encodeNumber(authorization.validBefore.toBigInteger()),
      encodeHex(authorization.nonce),
    )
  return keccak(byteArrayOf(0x19, 0x01) + domain + message)
}

private fun hashStruct(type: String, vararg words: ByteArray): ByteArray =
  keccak(words.fold(hashText(type)) { bytes, word -> bytes + word })

private fun hashText(text: String): ByteArray = keccak(text.encodeToByteArray())

private fun encodeNumber(number: BigInteger): ByteArray = encodeHex(number.toString(16))

private fun encodeHex(hex: String): ByteArray =
  hex.removePrefix("0x").padStart(WORD_DIGITS, '0').hexToByteArray()
