package client

import gateway.api.ExtensionsApi
import gateway.api.InferenceApi
import gateway.infrastructure.ApiResponse
import gateway.model.AssistantMessage
import gateway.model.ChatCompletion
import gateway.model.ChatCompletionRequest
import gateway.model.CompletionRequest
import gateway.model.FunctionDefinition
import gateway.model.InferenceProof
import gateway.model.Message
import gateway.model.SettlementType
import gateway.model.TextCompletion
import gateway.model.ToolDefinition
import gateway.model.ToolMessage
import gateway.model.UserMessage
import java.time.Duration
import kotlinx.serialization.json.add
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray
import kotlinx.serialization.json.putJsonObject
import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody
import okio.Buffer

/** The scenarios, with the generated client. */
class Buyer(url: String, private val payer: Payer) {
  /** Changes the requests of scenarios that the generated client cannot send. */
  private var change: (Request) -> Request = { it }

  /** Signs another amount than the one that it sends. */
  private var forges = false

  private val http =
    OkHttpClient.Builder()
      .callTimeout(DEADLINE)
      .readTimeout(DEADLINE)
      .addInterceptor { it.proceed(change(it.request())) }
      .build()
  private val inference = InferenceApi(url, http)
  private val extensions = ExtensionsApi(url, http)

  /** Returns the line of a scenario. */
  fun play(scenario: String): Report {
    val reporter = Reporter(scenario)
    return when (scenario) {
      "pay-text" -> reporter.report(complete("Count to three.")) { it.choices.first().text }
      "pay-tools" -> reporter.reportChat(callTool())
      "proof" -> readProof(reporter)
      "models" ->
        reporter.report(extensions.listModelsWithHttpInfo()) { list -> list.data.joinToString(",") { it.id } }
      "error-404" -> reporter.report(extensions.getModelWithHttpInfo("x")) { it.id }
      "error-402-offer" -> reporter.reportChat(sendChat(ask(QUESTION), null))
      else -> reporter.reportChat(buyChat(prepare(scenario)))
    }
  }

  /** Prepares the fault of a scenario. Returns the chat that it sends. */
  private fun prepare(scenario: String): ChatCompletionRequest {
    when (scenario) {
      "error-400" -> return ask(QUESTION).copy(temperature = 3.0)
      "error-401" -> forges = true
      "error-405" -> change = { it.newBuilder().delete().build() }
      "error-413" -> return ask("x".repeat(2_000_000))
      "error-415" -> change = ::sendAsText
    }
    return ask(QUESTION)
  }

  private fun sendAsText(request: Request): Request {
    val body = Buffer().also { request.body?.writeTo(it) }.readByteString()
    return request.newBuilder().post(body.toRequestBody("text/plain".toMediaType())).build()
  }

  private fun ask(text: String): ChatCompletionRequest {
    val message = UserMessage(role = UserMessage.Role.user, content = text)
    return ChatCompletionRequest(model = MODEL, messages = listOf(Message.UserWrapper(message)))
  }

  private fun buyChat(request: ChatCompletionRequest): ApiResponse<ChatCompletion?> =
    buy { payment -> sendChat(request, payment) }

  private fun sendChat(request: ChatCompletionRequest, payment: String?): ApiResponse<ChatCompletion?> =
    inference.createChatCompletionWithHttpInfo(
      chatCompletionRequest = request,
      X_PAYMENT = payment,
      PAYMENT_SIGNATURE = null,
      X_SETTLEMENT_TYPE = SettlementType.individual,
      idempotencyKey = null,
      xStainlessRetryCount = null,
    )

  private fun complete(prompt: String): ApiResponse<TextCompletion?> = buy { payment ->
    inference.createCompletionWithHttpInfo(
      completionRequest = CompletionRequest(model = MODEL, prompt = prompt),
      X_PAYMENT = payment,
      PAYMENT_SIGNATURE = null,
      X_SETTLEMENT_TYPE = null,
      idempotencyKey = null,
      xStainlessRetryCount = null,
    )
  }

  /** Sends a request, and sends it again with a payment if the gateway makes an offer (§4.4). */
  private fun <T> buy(send: (payment: String?) -> ApiResponse<T>): ApiResponse<T> {
    val unpaid = send(null)
    if (unpaid.statusCode != PAYMENT_REQUIRED) return unpaid
    return send(pay(readOffer(unpaid), payer, forges))
  }

  /** Asks for a tool call, and sends its result. */
  private fun callTool(): ApiResponse<ChatCompletion?> {
    val parameters = buildJsonObject {
      put("type", "object")
      putJsonObject("properties") { putJsonObject("order_id") { put("type", "string") } }
      putJsonArray("required") { add("order_id") }
    }
    val function =
      FunctionDefinition(
        name = "order_status",
        description = "Looks up the status of an order by its number",
        parameters = parameters,
      )
    val tool = ToolDefinition(type = ToolDefinition.Type.function, function = function)
    val request = ask("What is the status of order A-1042?").copy(tools = listOf(tool))
    val called = readData(buyChat(request.copy(toolChoice = "required")))
    val calls = called.choices.first().message.toolCalls.orEmpty()
    val message = AssistantMessage(role = AssistantMessage.Role.assistant, toolCalls = calls)
    val results =
      calls.map {
        ToolMessage(role = ToolMessage.Role.tool, content = "{\"status\": \"shipped\"}", toolCallId = it.id)
      }
    val messages =
      request.messages + Message.AssistantWrapper(message) + results.map(Message::ToolWrapper)
    return buyChat(request.copy(messages = messages))
  }

  /** Buys a completion, and reads the record of its proof. */
  private fun readProof(reporter: Reporter): Report {
    val paid = buyChat(ask(QUESTION))
    val header = checkNotNull(readHeader(paid, "X-INFERENCE-PROOF")) { "The response has no proof." }
    val record = extensions.getProofWithHttpInfo(decodeHeader<InferenceProof>(header).proofId)
    return reporter.report(record) { it.leafHash }.copy(txHash = readTxHash(paid))
  }

  private companion object {
    const val MODEL = "alder/alder-mini"
    const val QUESTION = "What is 6 times 7?"
    const val PAYMENT_REQUIRED = 402
    val DEADLINE: Duration = Duration.ofSeconds(30)
  }
}
