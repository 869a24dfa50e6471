//! The scenarios, with the generated client.

use progenitor::progenitor_client::{Error, ResponseValue};
use reqwest::header::HeaderMap;
use serde::Serialize;
use serde_json::json;

use crate::Fault;
use crate::gateway::Client;
use crate::gateway::types::{
    CatalogModelList, ChatCompletion, ChatCompletionRequest, CompletionRequest, EncodedPaymentObject, ErrorBody,
    ErrorDetail, InferenceProof, PaymentReceipt, PaymentRequirements, TextCompletion,
};
use crate::payment::{Payer, read_header};

const MODEL: &str = "alder/alder-mini";

/// The line that the command prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    scenario: String,
    status: u16,
    code: Option<String>,
    param: Option<String>,
    text: Option<String>,
    tx_hash: Option<String>,
}

type Sent<T> = Result<ResponseValue<T>, Error<ErrorBody>>;

/// A response, whose body is a value or an error.
struct Received<T> {
    status: u16,
    headers: HeaderMap,
    body: Result<T, ErrorBody>,
}

pub struct Buyer {
    url: String,
    gateway: Client,
    payer: Payer,
}

impl Buyer {
    pub fn new(url: &str, payer: Payer) -> Result<Self, Fault> {
        let http = reqwest::Client::builder().timeout(DEADLINE).build()?;
        Ok(Self { url: url.to_owned(), gateway: Client::new_with_client(url, http), payer })
    }

    pub async fn play(mut self, scenario: &str) -> Result<Report, Fault> {
        let mut question = ask("What is 6 times 7?")?;
        let report = match scenario {
            "pay-text" => self.complete("Count to three.").await?.report(|body| Some(body.choices[0].text.clone())),
            "pay-tools" => self.call_tool().await?.report(read_text),
            "proof" => self.read_proof(question).await?.report(|body| Some(body.leaf.proof_id.to_string())),
            "models" => receive(self.gateway.list_models().send().await).await?.report(|body| Some(join_ids(body))),
            "error-402-offer" => self.read_offer(question).await?,
            "error-404" => receive(self.gateway.get_model().id("x").send().await).await?.report(|_| None),
            "error-405" => self.send(Method::DELETE, "/v1/models").await?,
            "error-415" => self.send(Method::POST, "/v1/chat/completions").await?,
            _ => {
                match scenario {
                    "error-400" => question.temperature = 3.0,
                    "error-401" => self.payer = self.payer.forge()?,
                    "error-413" => question = ask(&"x".repeat(2 << 20))?,
                    _ => {}
                }
                self.chat(&question).await?.report(read_text)
            }
        };
        Ok(Report { scenario: scenario.to_owned(), ..report? })
    }

    async fn chat(&self, request: &ChatCompletionRequest) -> Result<Received<ChatCompletion>, Fault> {
        self.buy(async |payment| {
            let call = self.gateway.create_chat_completion().body(request.clone());
            let paid = payment.map_or(call.clone(), |payment| call.x_payment(payment));
            paid.send().await
        })
        .await
    }

    async fn complete(&self, prompt: &str) -> Result<Received<TextCompletion>, Fault> {
        self.buy(async |payment| {
            let call = self.gateway.create_completion().body_map(|body| body.model(MODEL).prompt(prompt));
            let paid = payment.map_or(call.clone(), |payment| call.x_payment(payment));
            paid.send().await
        })
        .await
    }

    /// Sends a request, and sends it again with a payment if the gateway makes an offer (§4.4).
    async fn buy<T>(&self, send: impl AsyncFn(Option<EncodedPaymentObject>) -> Sent<T>) -> Result<Received<T>, Fault> {
        let unpaid = receive(send(None).await).await?;
        if unpaid.status != 402 {
            return Ok(unpaid);
        }
        let payment = self.payer.pay(&read_header(&unpaid.headers, "X-PAYMENT-REQUIRED")?)?;
        receive(send(Some(payment)).await).await
    }

    /// Asks for a tool call, and sends its result.
    async fn call_tool(&self) -> Result<Received<ChatCompletion>, Fault> {
        let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
        let function = FunctionDefinition::builder().name("get_weather").parameters(Some(serde_json::from_value(parameters)?));
        let tool = ToolDefinition::builder().type_(ToolDefinitionType::Function).function(FunctionDefinition::try_from(function)?);
        let mut request = ask("What is the weather in Paris?")?;
        request.tools = vec![tool.try_into()?];
        request.tool_choice = Some("required".to_owned().into());
        let first = self.chat(&request).await?;
        let Ok(completion) = &first.body else { return Ok(first) };
        let calls = completion.choices[0].message.tool_calls.clone();
        for call in &calls { /* */ }
        request.tool_choice = None;
        request.messages.push(AssistantMessage::builder().role(AssistantMessageRole::Assistant).tool_calls(calls));
        self.chat(&request).await
    }

    /// Buys a completion, and reads the record of its proof.
    async fn read_proof(&self, question: ChatCompletionRequest) -> Result<Received<ProofRecord>, Fault> {
        let paid = self.chat(&question).await?;
        let proof: InferenceProof = read_header(&paid.headers, "X-INFERENCE-PROOF")?;
        receive(self.gateway.get_proof().id(proof.proof_id.as_str()).send().await).await
    }

    /// Reads the offer of a request without paying it.
    async fn read_offer(&self, question: ChatCompletionRequest) -> Result<Received<ChatCompletion>, Fault> {
        let unpaid = receive(self.gateway.create_chat_completion().body(question).send().await).await?;
        let offer: PaymentRequirements = read_header(&unpaid.headers, "X-PAYMENT-REQUIRED")?;
        unpaid.report(|_| None)
    }

    /// Sends a request that the generated client cannot send. The schema of its error is generated.
    async fn send(&self, method: Method, path: &str) -> Result<Received<()>, Fault> {
        let request = self.http.request(method, format!("{}{path}", self.url)).header("Content-Type", "text/plain").body("pong");
        let response = request.send().await?;
        Ok(Received { status: response.status().as_u16(), headers: response.headers().clone(), body: Err(response.json().await?) })
    }
}
