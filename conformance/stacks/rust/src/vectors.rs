//! Checks the test vectors with the code that pays.

use std::collections::HashMap;
use std::fmt::Debug;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::Fault;
use crate::gateway::types::{InferenceProof, PaymentAuthorization, PaymentObject, PaymentReceipt, PaymentRequirements};
use crate::payment::{Payer, decode_header, hash_typed_data};

#[derive(Deserialize)]
struct Vectors {
    key: String,
    offer: PaymentRequirements,
    authorization: PaymentAuthorization,
    digest: String,
    signature: String,
    receipt: PaymentReceipt,
    proof: InferenceProof,
    headers: HashMap<String, String>,
}

/// Signs the authorization of the test vectors, and decodes their headers.
pub fn check(file: &str) -> Result<(), Fault> {
    let vectors: Vectors = serde_json::from_slice(&std::fs::read(file)?)?;
    compare(
        "digest",
        hash_typed_data(&vectors.offer, &vectors.authorization)?.to_string(),
        vectors.digest,
    )?;
    let payment = Payer::new(&vectors.key)?.sign(&vectors.offer, vectors.authorization.clone())?;
    compare(
        "signature",
        payment.payload.signature.as_str(),
        vectors.signature.as_str(),
    )?;
    let headers = &vectors.headers;
    compare_header::<PaymentRequirements>(headers, "X-PAYMENT-REQUIRED", &vectors.offer)?;
    compare_header::<PaymentObject>(headers, "X-PAYMENT", &payment)?;
    compare_header::<PaymentReceipt>(headers, "X-PAYMENT-RESPONSE", &vectors.receipt)?;
    compare_header::<InferenceProof>(headers, "X-INFERENCE-PROOF", &vectors.proof)
}

/// The generated types have no equality, so their JSON is compared.
fn compare_header<T: DeserializeOwned + Serialize>(
    headers: &HashMap<String, String>,
    name: &str,
    expected: &T,
) -> Result<(), Fault> {
    let text = headers.get(name).ok_or_else(|| format!("the vectors have no {name}"))?;
    let decoded: T = decode_header(text)?;
    compare(name, serde_json::to_value(decoded)?, serde_json::to_value(expected)?)
}

fn compare<T: Debug + PartialEq>(name: &str, actual: T, expected: T) -> Result<(), Fault> {
    if actual == expected {
        return Ok(());
    }
    Err(format!("{name}: {actual:?} is not {expected:?}").into())
}
