//! Runs one scenario against a gateway, through the client that progenitor generates.

mod buyer;
mod payment;
mod vectors;

/// The generated client and types.
mod gateway {
    progenitor::generate_api!(spec = "openapi.json", interface = Builder);
}

use std::env;

/// Every fault ends the command with its message.
type Fault = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Fault> {
    if env::args().nth(1).as_deref() == Some("vectors") {
        return vectors::check(&env::var("VECTORS")?);
    }
    let scenario = env::var("SCENARIO")?;
    let payer = payment::Payer::new(&env::var("PAYER_KEY")?)?;
    let report = buyer::Buyer::new(&env::var("GATEWAY_URL")?, payer)?
        .play(&scenario)
        .await?;
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}
