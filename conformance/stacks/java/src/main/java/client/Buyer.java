package client;

import com.fasterxml.jackson.annotation.JsonInclude;
import gateway.ApiClient;
import gateway.ApiException;
import gateway.ApiResponse;
import gateway.api.ExtensionsApi;
import gateway.api.InferenceApi;
import gateway.api.InferenceApi.APICreateChatCompletionRequest;
import gateway.api.InferenceApi.APICreateCompletionRequest;
import gateway.model.AssistantMessage;
import gateway.model.CatalogModel;
import gateway.model.ChatCompletion;
import gateway.model.ChatCompletionRequest;
import gateway.model.CompletionRequest;
import gateway.model.ErrorBody;
import gateway.model.ErrorDetail;
import gateway.model.FunctionDefinition;
import gateway.model.InferenceProof;
import gateway.model.Message;
import gateway.model.PaymentReceipt;
import gateway.model.PaymentRequirements;
import gateway.model.SettlementType;
import gateway.model.TextCompletion;
import gateway.model.ToolDefinition;
import gateway.model.ToolMessage;
import gateway.model.ToolParameter;
import gateway.model.ToolParameters;
import gateway.model.UserMessage;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.web3j.crypto.Credentials;

/** The scenarios, with the generated client. */
final class Buyer {
  private static final String MODEL = "alder/alder-mini";
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final ApiClient http = new ApiClient();
  private final InferenceApi inference;
  private final ExtensionsApi extensions;
  private final Credentials payer;
  /** Signs another amount than the one that it sends. */
  private boolean forges;
  /** Changes the requests of scenarios that the generated client cannot send. */
  private Consumer<HttpRequest.Builder> change = request -> {};

  /** The line that the command prints. */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  record Report(String scenario, int status, String code, String param, String text, String txHash) {}

  /** A request that takes a payment, which is null at first. */
  private interface Send<T> {
    ApiResponse<T> send(String payment) throws ApiException;
  }

  Buyer(String url, Credentials payer) {
    http.updateBaseUri(url);
    http.setReadTimeout(DEADLINE);
    http.setRequestInterceptor(request -> change.accept(request));
    inference = new InferenceApi(http);
    extensions = new ExtensionsApi(http);
    this.payer = payer;
  }

  /** Returns the line of a scenario. The generated client throws every error of the gateway. */
  Report play(String scenario) throws ApiException, IOException {
    var question = ask("What is 6 times 7?");
    try {
      switch (scenario) {
        case "pay-text":
          var completion = complete("Count to three.");
          return report(scenario, completion, completion.getData().getChoices().get(0).getText());
        case "pay-tools":
          return reportChat(scenario, callTool());
        case "proof":
          return readProof(scenario, question);
        case "models":
          var models = extensions.listModelsWithHttpInfo();
          var ids = models.getData().getData().stream().map(CatalogModel::getId);
          return report(scenario, models, ids.collect(Collectors.joining(",")));
        case "error-404":
          var model = extensions.getModelWithHttpInfo("x");
          return report(scenario, model, model.getData().getId());
        case "error-402-offer":
          return reportChat(scenario, sendChat(question, null));
        case "error-400":
          question.setTemperature(3.0);
          break;
        case "error-401":
          forges = true;
          break;
        case "error-405":
          change = request -> request.method("DELETE", BodyPublishers.noBody());
          break;
        case "error-413":
          question = ask("x".repeat(2_000_000));
          break;
        case "error-415":
          change = request -> request.setHeader("Content-Type", "text/plain");
          break;
        default:
          break;
      }
      return reportChat(scenario, chat(question));
    } catch (ApiException error) {
      return reportError(scenario, error);
    }
  }

  private static ChatCompletionRequest ask(String text) {
    var message = new UserMessage().role(UserMessage.RoleEnum.USER).content(text);
    return new ChatCompletionRequest().model(MODEL).addMessagesItem(new Message(message));
  }

  private ApiResponse<ChatCompletion> chat(ChatCompletionRequest request) throws ApiException {
    return buy(payment -> sendChat(request, payment));
  }

  private ApiResponse<ChatCompletion> sendChat(ChatCompletionRequest request, String payment) throws ApiException {
    return inference.createChatCompletionWithHttpInfo(
        APICreateChatCompletionRequest.newBuilder()
            .chatCompletionRequest(request)
            .X_PAYMENT(payment)
            .X_SETTLEMENT_TYPE(SettlementType.INDIVIDUAL)
            .build());
  }

  private ApiResponse<TextCompletion> complete(String prompt) throws ApiException {
    var request = new CompletionRequest().model(MODEL).prompt(prompt);
    return buy(
        payment ->
            inference.createCompletionWithHttpInfo(
                APICreateCompletionRequest.newBuilder().completionRequest(request).X_PAYMENT(payment).build()));
  }

  /** Sends a request, and sends it again with a payment if the gateway makes an offer (§4.4). */
  private <T> ApiResponse<T> buy(Send<T> request) throws ApiException {
    try {
      return request.send(null);
    } catch (ApiException unpaid) {
      if (unpaid.getCode() != 402) throw unpaid;
      return request.send(Payments.pay(readOffer(unpaid), payer, forges));
    }
  }

  private static PaymentRequirements readOffer(ApiException unpaid) {
    var header = unpaid.getResponseHeaders().firstValue("X-PAYMENT-REQUIRED").orElseThrow();
    return Payments.decodeHeader(header, PaymentRequirements.class);
  }

  /** Asks for a tool call, and sends its result. */
  private ApiResponse<ChatCompletion> callTool() throws ApiException {
    var parameters =
        new ToolParameters()
            .type("object")
            .properties(Map.of("order_id", new ToolParameter().type("string")))
            .required(List.of("order_id"));
    var function =
        new FunctionDefinition()
            .name("order_status")
            .description("Looks up the status of an order by its number")
            .parameters(parameters);
    var tool = new ToolDefinition().type(ToolDefinition.TypeEnum.FUNCTION).function(function);
    var request = ask("What is the status of order A-1042?").addToolsItem(tool).toolChoice("required");
    var calls = chat(request).getData().getChoices().get(0).getMessage().getToolCalls();
    var message = new AssistantMessage().role(AssistantMessage.RoleEnum.ASSISTANT).toolCalls(calls);
    request.toolChoice(null).addMessagesItem(new Message(message));
    for (var call : calls) {
      var result =
          new ToolMessage().role(ToolMessage.RoleEnum.TOOL).content("{\"status\": \"shipped\"}").toolCallId(call.getId());
      request.addMessagesItem(new Message(result));
    }
    return chat(request);
  }

  /** Buys a completion, and reads the record of its proof. */
  private Report readProof(String scenario, ChatCompletionRequest question) throws ApiException {
    var paid = chat(question);
    var proof = Payments.decodeHeader(readHeader(paid, "X-INFERENCE-PROOF"), InferenceProof.class);
    var record = extensions.getProofWithHttpInfo(proof.getProofId());
    var txHash = reportChat(scenario, paid).txHash();
    return new Report(scenario, record.getStatusCode(), null, null, record.getData().getLeafHash(), txHash);
  }

  private static Report reportChat(String scenario, ApiResponse<ChatCompletion> response) {
    return report(scenario, response, response.getData().getChoices().get(0).getMessage().getContent());
  }

  private static Report report(String scenario, ApiResponse<?> response, String text) {
    var header = readHeader(response, "X-PAYMENT-RESPONSE");
    var txHash = header == null ? null : Payments.decodeHeader(header, PaymentReceipt.class).getTxHash();
    return new Report(scenario, response.getStatusCode(), null, null, text, txHash);
  }

  private static String readHeader(ApiResponse<?> response, String name) {
    return response.getHeaders().getOrDefault(name, List.of()).stream().findFirst().orElse(null);
  }

  private static Report reportError(String scenario, ApiException failure) throws ApiException, IOException {
    if (failure.getResponseBody() == null) throw failure;
    int status = failure.getCode();
    Object error = Payments.JSON.readValue(failure.getResponseBody(), ErrorBody.class).getError();
    // The error of an offer is a text (D-288).
    if (error instanceof String)
      return new Report(scenario, status, null, null, readOffer(failure).getMaxAmountRequired(), null);
    var detail = Payments.JSON.convertValue(error, ErrorDetail.class);
    return new Report(scenario, status, detail.getCode(), detail.getParam(), null, null);
  }
}
