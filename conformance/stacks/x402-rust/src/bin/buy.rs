//! Buys one chat completion with x402's client for reqwest, within the limits that the client can keep.

use std::{env, fs};

use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), client::Fault> {
    let key = fs::read_to_string(env::var("CONFORMANCE_KEY_FILE")?)?;
    let http = client::pay(key.trim(), env::var("CONFORMANCE_PRICE_MAX")?.parse()?)?;
    let prompt = env::var("PROMPT").unwrap_or("Say pong.".into());
    let messages = json!([{"role": "user", "content": prompt}]);
    let body = json!({"model": env::var("CONFORMANCE_MODEL")?, "messages": messages});
    let url = format!("{}/v1/chat/completions", env::var("CONFORMANCE_URL")?);
    let request = http
        .post(url)
        .header(CONTENT_TYPE, "application/json")
        .body(body.to_string());
    let response = request.send().await?.error_for_status()?;
    serde_json::from_slice::<Value>(&response.bytes().await?)?;
    Ok(())
}
