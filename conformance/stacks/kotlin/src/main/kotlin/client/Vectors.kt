package client

import gateway.model.InferenceProof
import gateway.model.PaymentAuthorization
import gateway.model.PaymentObject
import gateway.model.PaymentReceipt
import gateway.model.PaymentRequirements
import kotlinx.serialization.Serializable

/** The parts of the test vectors that a client can check. */
@Serializable
private data class Vectors(
  val key: String,
  val offer: PaymentRequirements,
  val authorization: PaymentAuthorization,
  val digest: String,
  val signature: String,
  val receipt: PaymentReceipt,
  val proof: InferenceProof,
  val headers: Map<String, String>,
)

/** Signs the authorization of the test vectors with the code that pays, and decodes their headers. */
fun checkVectors(text: String) {
  val vectors = json.decodeFromString<Vectors>(text)
  val payer = Payer(vectors.key)
  val payment = sign(vectors.offer, vectors.authorization, payer)
  val digest = hashTypedData(vectors.offer, vectors.authorization)
  compare("payer", payer.address, vectors.authorization.from)
  compare("digest", toHex(digest), vectors.digest)
  compare("signature", payment.payload.signature, vectors.signature)
  val headers = vectors.headers
  compare("X-PAYMENT-REQUIRED", decode<PaymentRequirements>(headers, "X-PAYMENT-REQUIRED"), vectors.offer)
  compare("X-PAYMENT", decode<PaymentObject>(headers, "X-PAYMENT"), payment)
  compare("X-PAYMENT-RESPONSE", decode<PaymentReceipt>(headers, "X-PAYMENT-RESPONSE"), vectors.receipt)
  compare("X-INFERENCE-PROOF", decode<InferenceProof>(headers, "X-INFERENCE-PROOF"), vectors.proof)
}

private inline fun <reified T> decode(headers: Map<String, String>, name: String): T =
  decodeHeader(headers.getValue(name))

private fun compare(name: String, actual: Any, expected: Any) =
  check(actual == expected) { "$name: $actual is not $expected" }
