package client

import gateway.infrastructure.ApiResponse
import gateway.infrastructure.ClientError
import gateway.infrastructure.ServerError
import gateway.infrastructure.Success
import gateway.model.ChatCompletion
import gateway.model.ErrorBody
import gateway.model.ErrorDetail
import gateway.model.PaymentReceipt
import gateway.model.PaymentRequirements
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.decodeFromJsonElement

/** The line that the command prints. */
@Serializable
data class Report(
  val scenario: String,
  val status: Int,
  val code: String?,
  val param: String?,
  val text: String?,
  val txHash: String?,
)

/** Makes the line of a scenario from its last response. */
class Reporter(private val scenario: String) {
  fun reportChat(response: ApiResponse<ChatCompletion?>): Report =
    report(response) { it.choices.first().message.content }

  fun <T : Any> report(response: ApiResponse<T?>, readText: (T) -> String?): Report =
    when (response) {
      is Success ->
        Report(scenario, response.statusCode, null, null, readText(readData(response)), readTxHash(response))
      is ClientError -> reportError(response, response.body)
      is ServerError -> reportError(response, response.body)
      else -> error("The gateway returned ${response.statusCode}.")
    }

  private fun reportError(response: ApiResponse<*>, body: Any?): Report {
    val error = checkNotNull(json.decodeFromString<ErrorBody>(body as String).error)
    // The error of an offer is a text (D-288).
    if (error is JsonPrimitive)
      return Report(scenario, response.statusCode, null, null, readOffer(response).maxAmountRequired, null)
    val detail = json.decodeFromJsonElement<ErrorDetail>(error)
    return Report(scenario, response.statusCode, detail.code, detail.param, null, null)
  }
}

fun <T : Any> readData(response: ApiResponse<T?>): T =
  checkNotNull((response as? Success)?.data) { "The gateway returned ${response.statusCode}." }

fun readOffer(unpaid: ApiResponse<*>): PaymentRequirements =
  decodeHeader(checkNotNull(readHeader(unpaid, "X-PAYMENT-REQUIRED")) { "The 402 has no offer." })

fun readTxHash(response: ApiResponse<*>): String? =
  readHeader(response, "X-PAYMENT-RESPONSE")?.let { decodeHeader<PaymentReceipt>(it).txHash }

fun readHeader(response: ApiResponse<*>, name: String): String? =
  response.headers[name.lowercase()]?.firstOrNull()
