//! The scenarios, with the generated client.

use std::time::Duration;

use progenitor_client::{Error, ResponseValue};
use reqwest::{Method, header::HeaderMap};
use serde::Serialize;
use serde_json::json;

use crate::Fault;
use crate::gateway::Client;
use crate::gateway::types::{
    AssistantMessage, AssistantMessageRole, ChatCompletion, ChatCompletionRequest, EncodedPaymentObject, ErrorBody,
    ErrorDetail, InferenceProof, Message, PaymentReceipt, PaymentRequirements, ProofRecord, SettlementType,
    TextCompletion, ToolChoice, ToolDefinition, ToolMessage, ToolMessageRole, UserMessage, UserMessageRole,
};
use crate::payment::{Payer, read_header};

const MODEL: &str = "alder/alder-mini";
const DEADLINE: Duration = Duration::from_secs(30);

/// The line that the command prints.
#[derive(Default, Serialize)]
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
    http: reqwest::Client,
    gateway: Client,
    payer: Payer,
}

impl Buyer {
    pub fn new(url: &str, payer: Payer) -> Result<Self, Fault> {
        let http = reqwest::Client::builder().timeout(DEADLINE).build()?;
        Ok(Self {
            url: url.to_owned(),
            gateway: Client::new_with_client(url, http.clone()),
            http,
            payer,
        })
    }

    pub async fn play(mut self, scenario: &str) -> Result<Report, Fault> {
        let mut question = ask("What is 6 times 7?")?;
        let report = match scenario {
            "pay-text" => self
                .complete("Count to three.")
                .await?
                .report(|body| Some(body.choices[0].text.clone())),
            "pay-tools" => self.call_tool().await?.report(read_text),
            "proof" => self.read_proof(question).await,
            "models" => self.list_models().await,
            "error-402-offer" => self.read_offer(question).await,
            "error-404" => receive(self.gateway.get_model().id("x").send().await)
                .await?
                .report(|_| None),
            "error-405" => self.send(Method::DELETE).await?.report(|()| None),
            "error-415" => self.send(Method::POST).await?.report(|()| None),
            _ => {
                match scenario {
                    "error-400" => question.temperature = 3.0,
                    "error-401" => self.payer.forges = true,
                    "error-413" => question = ask(&"x".repeat(2_000_000))?,
                    _ => {}
                }
                self.chat(&question).await?.report(read_text)
            }
        };
        Ok(Report {
            scenario: scenario.to_owned(),
            ..report?
        })
    }

    async fn chat(&self, request: &ChatCompletionRequest) -> Result<Received<ChatCompletion>, Fault> {
        self.buy(async |payment| {
            let call = self.gateway.create_chat_completion().body(request.clone());
            let call = call.x_settlement_type(SettlementType::Individual);
            if let Some(payment) = payment {
                call.x_payment(payment)
            } else {
                call
            }
            .send()
            .await
        })
        .await
    }

    async fn complete(&self, prompt: &str) -> Result<Received<TextCompletion>, Fault> {
        self.buy(async |payment| {
            let call = self
                .gateway
                .create_completion()
                .body_map(|body| body.model(MODEL).prompt(prompt));
            if let Some(payment) = payment {
                call.x_payment(payment)
            } else {
                call
            }
            .send()
            .await
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
        let tool: ToolDefinition = serde_json::from_value(json!({
            "type": "function",
            "function": {
                "name": "order_status",
                "description": "Looks up the status of an order by its number",
                "parameters": {
                    "type": "object",
                    "properties": {"order_id": {"type": "string"}},
                    "required": ["order_id"],
                },
            },
        }))?;
        let mut request = ask("What is the status of order A-1042?")?;
        request.tools = vec![tool];
        request.tool_choice = Some(ToolChoice("required".to_owned()));
        let first = self.chat(&request).await?;
        let Ok(completion) = &first.body else { return Ok(first) };
        let calls = completion.choices[0].message.tool_calls.clone();
        let results = calls.iter().map(|call| {
            Message::ToolMessage(ToolMessage {
                role: ToolMessageRole::Tool,
                content: json!({"status": "shipped"}).to_string(),
                name: None,
                tool_call_id: call.id.clone(),
            })
        });
        let results: Vec<_> = results.collect();
        let role = AssistantMessageRole::Assistant;
        request.tool_choice = None;
        request.messages.push(Message::AssistantMessage(AssistantMessage {
            role,
            content: None,
            name: None,
            tool_calls: calls,
        }));
        request.messages.extend(results);
        self.chat(&request).await
    }

    /// Buys a completion, and reads the record of its proof.
    async fn read_proof(&self, question: ChatCompletionRequest) -> Result<Report, Fault> {
        let paid = self.chat(&question).await?;
        let proof: InferenceProof = read_header(&paid.headers, "X-INFERENCE-PROOF")?;
        let record: Received<ProofRecord> =
            receive(self.gateway.get_proof().id(proof.proof_id.as_str()).send().await).await?;
        let report = record.report(|record| Some(record.leaf_hash.to_string()))?;
        Ok(Report {
            tx_hash: paid.report(read_text)?.tx_hash,
            ..report
        })
    }

    /// Reads the offer of a request without paying it.
    async fn read_offer(&self, question: ChatCompletionRequest) -> Result<Report, Fault> {
        let unpaid = receive(self.gateway.create_chat_completion().body(question).send().await).await?;
        let offer: PaymentRequirements = read_header(&unpaid.headers, "X-PAYMENT-REQUIRED")?;
        Ok(Report {
            text: Some(offer.max_amount_required.to_string()),
            ..unpaid.report(read_text)?
        })
    }

    async fn list_models(&self) -> Result<Report, Fault> {
        let listed = receive(self.gateway.list_models().send().await).await?;
        listed.report(|list| {
            let ids: Vec<_> = list.data.iter().map(|model| model.id.as_str()).collect();
            Some(ids.join(","))
        })
    }

    /// Sends a chat that the generated client cannot send. Only the schema of its error is generated.
    async fn send(&self, method: Method) -> Result<Received<()>, Fault> {
        let request = self.http.request(method, format!("{}/v1/chat/completions", self.url));
        let response = request.header("Content-Type", "text/plain").body("pong").send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Ok(Received {
            status,
            headers,
            body: Err(response.json().await?),
        })
    }
}

impl<T> Received<T> {
    /// Reads the error, or the receipt and the text of the value.
    fn report(&self, text: impl FnOnce(&T) -> Option<String>) -> Result<Report, Fault> {
        let mut report = Report {
            status: self.status,
            ..Report::default()
        };
        match &self.body {
            Ok(value) => report.text = text(value),
            Err(body) => {
                // The `error` of an offer is a text (D-288).
                if let Some(detail) = body.error.clone().filter(|error| error.is_object()) {
                    let detail: ErrorDetail = serde_json::from_value(detail)?;
                    (report.code, report.param) = (Some(detail.code), detail.param);
                }
            }
        }
        if self.headers.contains_key("X-PAYMENT-RESPONSE") {
            let receipt: PaymentReceipt = read_header(&self.headers, "X-PAYMENT-RESPONSE")?;
            report.tx_hash = Some(receipt.tx_hash.to_string());
        }
        Ok(report)
    }
}

async fn receive<T>(sent: Sent<T>) -> Result<Received<T>, Fault> {
    match sent {
        Ok(value) => {
            let (status, headers) = (value.status().as_u16(), value.headers().clone());
            Ok(Received {
                status,
                headers,
                body: Ok(value.into_inner()),
            })
        }
        Err(Error::ErrorResponse(value)) => {
            let (status, headers) = (value.status().as_u16(), value.headers().clone());
            Ok(Received {
                status,
                headers,
                body: Err(value.into_inner()),
            })
        }
        Err(error) => Err(error.into()),
    }
}

fn ask(text: &str) -> Result<ChatCompletionRequest, Fault> {
    let content = text.to_owned();
    let message = Message::UserMessage(UserMessage {
        role: UserMessageRole::User,
        content,
        name: None,
    });
    Ok(ChatCompletionRequest::builder()
        .model(MODEL)
        .messages(vec![message])
        .try_into()?)
}

fn read_text(completion: &ChatCompletion) -> Option<String> {
    completion.choices[0].message.content.clone()
}
