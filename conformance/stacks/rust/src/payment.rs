//! Signs payments, and reads and writes the headers that carry them (§4.4).

use std::time::{SystemTime, UNIX_EPOCH};

use alloy_primitives::{Address, B256, Signature, U256, hex};
use alloy_sol_types::{SolStruct, eip712_domain, sol};
use base64::{Engine, prelude::BASE64_STANDARD};
use k256::ecdsa::SigningKey;
use reqwest::header::HeaderMap;
use serde::{Serialize, de::DeserializeOwned};

use crate::Fault;
use crate::gateway::types::{
    EncodedPaymentObject, PaymentAuthorization, PaymentObject, PaymentPayload, PaymentRequirements, UnixSeconds,
};

const CHAIN_ID: u64 = 84532;

sol! {
    /// EIP-3009.
    struct TransferWithAuthorization {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }
}

pub struct Payer {
    key: SigningKey,
    /// Signs another amount than the one that it sends.
    pub forges: bool,
}

impl Payer {
    pub fn new(key: &str) -> Result<Self, Fault> {
        let key = SigningKey::from_slice(&hex::decode(key)?)?;
        Ok(Self { key, forges: false })
    }

    /// Signs an authorization for an offer, and returns the header `X-PAYMENT`.
    pub fn pay(&self, offer: &PaymentRequirements) -> Result<EncodedPaymentObject, Fault> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let authorization = PaymentAuthorization {
            from: Address::from_public_key(self.key.verifying_key()).to_string().parse()?,
            to: offer.pay_to.clone(),
            value: offer.max_amount_required.clone(),
            valid_after: UnixSeconds(0),
            valid_before: UnixSeconds(i64::try_from(now)? + i64::from(offer.max_timeout_seconds.get())),
            nonce: B256::random().to_string().parse()?,
        };
        let mut payment = self.sign(offer, authorization)?;
        if self.forges {
            let value = &mut payment.payload.authorization.value;
            *value = format!("{}0", value.as_str()).parse()?;
        }
        encode_header(&payment)
    }

    pub fn sign(
        &self,
        offer: &PaymentRequirements,
        authorization: PaymentAuthorization,
    ) -> Result<PaymentObject, Fault> {
        let digest = hash_typed_data(offer, &authorization)?;
        let signature = Signature::from(self.key.sign_prehash_recoverable(digest.as_slice())?);
        let payload = PaymentPayload {
            signature: hex::encode_prefixed(signature.as_bytes()).parse()?,
            authorization,
        };
        Ok(PaymentObject { payload })
    }
}

/// Returns the EIP-712 digest of an authorization.
pub fn hash_typed_data(offer: &PaymentRequirements, authorization: &PaymentAuthorization) -> Result<B256, Fault> {
    let domain = eip712_domain! {
        name: offer.extra.name.clone(),
        version: offer.extra.version.to_string(),
        chain_id: CHAIN_ID,
        verifying_contract: offer.asset.parse()?,
    };
    let message = TransferWithAuthorization {
        from: authorization.from.parse()?,
        to: authorization.to.parse()?,
        value: authorization.value.parse()?,
        validAfter: U256::from(*authorization.valid_after),
        validBefore: U256::from(*authorization.valid_before),
        nonce: authorization.nonce.parse()?,
    };
    Ok(message.eip712_signing_hash(&domain))
}

pub fn encode_header(value: &impl Serialize) -> Result<EncodedPaymentObject, Fault> {
    Ok(BASE64_STANDARD.encode(serde_json::to_vec(value)?).parse()?)
}

pub fn decode_header<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    Ok(serde_json::from_slice(&BASE64_STANDARD.decode(text)?)?)
}

pub fn read_header<T: DeserializeOwned>(headers: &HeaderMap, name: &str) -> Result<T, Fault> {
    let value = headers.get(name).ok_or_else(|| format!("the response has no {name}"))?;
    decode_header(value.to_str()?)
}
