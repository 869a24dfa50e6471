package client

import fr.acinq.secp256k1.Secp256k1
import org.bouncycastle.jcajce.provider.digest.Keccak

/** The account that pays. */
class Payer(key: String) {
  private val privateKey = key.removePrefix("0x").hexToByteArray()
  private val publicKey = Secp256k1.pubkeyCreate(privateKey)

  val address = toHex(keccak(publicKey.drop(1).toByteArray()).takeLast(ADDRESS_BYTES).toByteArray())

  /** Signs a digest. The last byte shows which of two possible public keys is the payer's. */
  fun sign(digest: ByteArray): ByteArray {
    val signature = Secp256k1.sign(digest, privateKey)
    val recoveryId =
      listOf(0, 1).first { Secp256k1.ecdsaRecover(signature, digest, it).contentEquals(publicKey) }
    return signature + (RECOVERY_OFFSET + recoveryId).toByte()
  }

  private companion object {
    const val ADDRESS_BYTES = 20
    const val RECOVERY_OFFSET = 27
  }
}

fun keccak(bytes: ByteArray): ByteArray = Keccak.Digest256().digest(bytes)

fun toHex(bytes: ByteArray): String = "0x" + bytes.toHexString()
