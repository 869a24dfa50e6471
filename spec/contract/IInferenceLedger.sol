// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

/// The proof ledger. It records enclave keys, and the inferences that these keys signed. `proof.tsp` defines the proof on
/// the wire: its `InferenceProof` is the `SignedInference` of this contract.
interface IInferenceLedger {
    /// The `InferenceStatement` of proof.tsp, with the enclave key's EIP-712 signature. The settlement type is no field,
    /// because each function accepts one type. A statement that was signed for another type gives an unknown signer.
    struct SignedInference {
        bytes32 proofId;
        bytes32 inputHash;
        bytes32 outputHash;
        bytes32 modelHash;
        uint64 timestamp;
        bytes signature;
    }

    /// `registeredAt` and `revokedAt` are Unix seconds, or 0 if the event never happened. A revocation keeps
    /// `attestationHash`.
    struct EnclaveKey {
        bytes32 attestationHash;
        uint64 registeredAt;
        uint64 revokedAt;
    }

    /// `sequence` counts batches from 1. It is 0 if the batch is not recorded. `recordedAt` is in Unix seconds.
    struct Batch {
        uint64 sequence;
        uint64 size;
        uint64 recordedAt;
    }

    event EnclaveKeyRegistered(address indexed signer, bytes32 attestationHash, string provider);
    event EnclaveKeyRevoked(address indexed signer);
    /// One inference of settlement type `individual`.
    event InferenceRecorded(
        bytes32 indexed proofId,
        address indexed signer,
        bytes32 inputHash,
        bytes32 outputHash,
        bytes32 modelHash,
        uint64 timestamp,
        bytes signature
    );
    /// The Merkle root of several inferences of settlement type `batch`.
    event BatchRecorded(bytes32 indexed root, uint64 indexed sequence, uint64 size);

    error AlreadyRecorded(bytes32 id);
    error AlreadyRegistered(address signer);
    error UnknownSigner(address signer);
    error RevokedSigner(address signer);
    error EmptyBatch();

    function registerEnclaveKey(address signer, bytes32 attestationHash, string calldata provider) external;
    function revokeEnclaveKey(address signer) external;

    /// Records each inference, with its signature for `individual`. It skips inferences that are already recorded, so a
    /// caller may repeat a call. An unknown or revoked signer reverts the whole call.
    function recordInferences(SignedInference[] calldata inferences) external;
    /// Reverts with `AlreadyRecorded` if the root is already recorded.
    function recordBatch(bytes32 root, uint64 size) external;

    function enclaveKey(address signer) external view returns (EnclaveKey memory);
    function isRecorded(bytes32 proofId) external view returns (bool);
    function batch(bytes32 root) external view returns (Batch memory);
    /// Returns true if the root is recorded, and the path leads from the inference, signed for `batch`, to the root. The tree
    /// sorts its pairs, as the trees of OpenZeppelin do. This function does not check the signer: use `enclaveKey`.
    function verifyInBatch(bytes32 root, SignedInference calldata inference, bytes32[] calldata path)
        external
        view
        returns (bool);
}
