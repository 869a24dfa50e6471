//! Plays one scenario with x402's client for reqwest, which reads bodies as JSON without types.

use std::env;

use base64::{Engine, prelude::BASE64_STANDARD};
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

const CHAT: &str = "/v1/chat/completions";
const TEXT: &str = "/v1/completions";
const MODEL: &str = "alder/alder-mini";
const PRICE_MAX: u64 = 100_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), client::Fault> {
    let (scenario, gateway) = (env::var("SCENARIO")?, env::var("GATEWAY_URL")?);
    let http = client::pay(&env::var("PAYER_KEY")?, PRICE_MAX)?;
    let post = async |path: &str, body: &Value| {
        let request = http
            .post(format!("{gateway}{path}"))
            .header(CONTENT_TYPE, "application/json");
        request.body(body.to_string()).send().await
    };
    let question = json!({"model": MODEL, "messages": [{"role": "user", "content": "What is 6 times 7?"}]});
    let response = match scenario.as_str() {
        "pay-text" => post(TEXT, &json!({"model": MODEL, "prompt": "Count to three."})).await?,
        "pay-tools" => {
            let mut request = ask_for_tool();
            let called: Value = serde_json::from_slice(&post(CHAT, &request).await?.bytes().await?)?;
            let message = called["choices"][0]["message"].clone();
            let call = message["tool_calls"][0]["id"].clone();
            let result = json!({"role": "tool", "tool_call_id": call, "content": "{\"status\": \"shipped\"}"});
            request["messages"]
                .as_array_mut()
                .ok_or("no messages")?
                .extend([message, result]);
            post(CHAT, &request).await?
        }
        "error-400" => {
            let mut request = question;
            request["temperature"] = 3.into();
            post(CHAT, &request).await?
        }
        "error-413" => {
            let mut request = question;
            request["messages"][0]["content"] = "x".repeat(2_000_000).into();
            post(CHAT, &request).await?
        }
        _ => post(CHAT, &question).await?,
    };
    let status = response.status().as_u16();
    let receipt: Value = match response.headers().get("X-PAYMENT-RESPONSE") {
        Some(header) => serde_json::from_slice(&BASE64_STANDARD.decode(header)?)?,
        None => Value::Null,
    };
    let body: Value = serde_json::from_slice(&response.bytes().await?)?;
    let choice = &body["choices"][0];
    let text = if choice["text"].is_null() {
        &choice["message"]["content"]
    } else {
        &choice["text"]
    };
    let (code, param) = (&body["error"]["code"], &body["error"]["param"]);
    let line = json!({
        "scenario": scenario, "status": status, "code": code, "param": param, "text": text, "txHash": receipt["txHash"],
    });
    println!("{line}");
    Ok(())
}

fn ask_for_tool() -> Value {
    json!({
        "model": MODEL,
        "messages": [{"role": "user", "content": "What is the status of order A-1042?"}],
        "tools": [{
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
        }],
    })
}
