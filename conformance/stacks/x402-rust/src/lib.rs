//! x402's client for reqwest, with a cap on the price of one request. It has no option for a token or a recipient.

use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use alloy_signer_local::PrivateKeySigner;
use reqwest_middleware::ClientWithMiddleware;
use x402_chain_eip155::{V1Eip155ExactClient, V2Eip155ExactClient};
use x402_reqwest::{ReqwestWithPayments, ReqwestWithPaymentsBuild, X402Client};
use x402_types::scheme::client::MaxAmount;

/// Every fault ends the command with its message.
pub type Fault = Box<dyn std::error::Error>;

const DEADLINE: Duration = Duration::from_secs(30);

/// Returns a client that pays offers of x402 v1 and v2 up to a price.
pub fn pay(key: &str, price_max: u64) -> Result<ClientWithMiddleware, Fault> {
    let signer = Arc::new(key.parse::<PrivateKeySigner>()?);
    let payer = X402Client::new()
        .register(V1Eip155ExactClient::new(signer.clone()))
        .register(V2Eip155ExactClient::new(signer))
        .with_selector(MaxAmount(U256::from(price_max)));
    Ok(reqwest::Client::builder()
        .timeout(DEADLINE)
        .build()?
        .with_payments(payer)
        .build())
}
