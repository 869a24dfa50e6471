package client

import gateway.infrastructure.Serializer
import gateway.model.PaymentAuthorization
import gateway.model.PaymentObject
import gateway.model.PaymentPayload
import gateway.model.PaymentRequirements
import java.security.SecureRandom
import java.time.Instant
import kotlin.io.encoding.Base64
import kotlinx.serialization.encodeToString
import kotlinx.serialization.json.Json

val json: Json = Serializer.kotlinxSerializationJson

private const val NONCE_BYTES = 32
private val random = SecureRandom()

/**
 * Signs an authorization for an offer, and returns the header `X-PAYMENT` (§4.4).
 *
 * @param forges signs another amount than the one that it sends
 */
fun pay(offer: PaymentRequirements, payer: Payer, forges: Boolean): String {
  val authorization =
    PaymentAuthorization(
      from = payer.address,
      to = offer.payTo,
      value = offer.maxAmountRequired,
      validAfter = 0,
      validBefore = Instant.now().epochSecond + offer.maxTimeoutSeconds,
      nonce = toHex(ByteArray(NONCE_BYTES).also(random::nextBytes)),
    )
  val payment = sign(offer, authorization, payer)
  if (!forges) return encodeHeader(payment)
  val forged = authorization.copy(value = authorization.value + "0")
  return encodeHeader(payment.copy(payload = payment.payload.copy(authorization = forged)))
}

fun sign(offer: PaymentRequirements, authorization: PaymentAuthorization, payer: Payer): PaymentObject {
  val signature = payer.sign(hashTypedData(offer, authorization))
  return PaymentObject(PaymentPayload(signature = toHex(signature), authorization = authorization))
}

/** Writes the header of a payment. */
fun encodeHeader(payment: PaymentObject): String =
  Base64.encode(json.encodeToString(payment).encodeToByteArray())

/** Reads a header whose value is JSON in base64. */
inline fun <reified T> decodeHeader(header: String): T =
  json.decodeFromString(Base64.decode(header).decodeToString())
