// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

/// The ledger network's contract: which enclave keys are registered, and which inferences they proved. `proof.tsp` says
/// the same of the wire; an `InferenceProof` there is a `SignedInference` here.
interface IInferenceLedger {
    /// The statement of `InferenceStatement` in proof.tsp and the enclave key's EIP-712 signature of it. Its settlement type
    /// is not here: each function takes one type only, and a statement that was signed for another has no known signer.
    struct SignedInference {
        bytes32 proofId;
        bytes32 inputHash;
        bytes32 outputHash;
        bytes32 modelHash;
        uint64 timestamp;
        bytes signature;
    }

    /// Unix seconds; 0 where it never happened. The attestation's hash stays after a revocation.
    struct EnclaveKey {
        bytes32 attestationHash;
        uint64 registeredAt;
        uint64 revokedAt;
    }

    /// `sequence` counts batches from 1; 0 where there is no such batch.
    struct Batch {
        uint64 sequence;
        uint64 size;
        uint64 recordedAt;
    }

    event EnclaveKeyRegistered(address indexed signer, bytes32 attestationHash, string provider);
    event EnclaveKeyRevoked(address indexed signer);
    /// `individual`: the hashes of one inference.
    event InferenceRecorded(
        bytes32 indexed proofId,
        address indexed signer,
        bytes32 inputHash,
        bytes32 outputHash,
        bytes32 modelHash,
        uint64 timestamp,
        bytes signature
    );
    /// `batch`: nothing but the root of several.
    event BatchRecorded(bytes32 indexed root, uint64 indexed sequence, uint64 size);

    error AlreadyRecorded(bytes32 id);
    error AlreadyRegistered(address signer);
    error UnknownSigner(address signer);
    error RevokedSigner(address signer);
    error EmptyBatch();

    function registerEnclaveKey(address signer, bytes32 attestationHash, string calldata provider) external;
    function revokeEnclaveKey(address signer) external;

    /// Records each by itself, as what was signed for `individual`. Those that are recorded already are passed over, so that sending again is safe; an unknown
    /// or revoked signer reverts the whole.
    function recordInferences(SignedInference[] calldata inferences) external;
    /// Reverts with `AlreadyRecorded` where the root is known.
    function recordBatch(bytes32 root, uint64 size) external;

    function enclaveKey(address signer) external view returns (EnclaveKey memory);
    function isRecorded(bytes32 proofId) external view returns (bool);
    function batch(bytes32 root) external view returns (Batch memory);
    /// Whether the root is recorded and the inference lies under it (sorted pairs, as OpenZeppelin's trees have them), as
    /// what its signer signed for `batch`. Whether the ledger knows the signer, `enclaveKey` says.
    function verifyInBatch(bytes32 root, SignedInference calldata inference, bytes32[] calldata path)
        external
        view
        returns (bool);
}
