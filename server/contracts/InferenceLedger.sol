// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {IInferenceLedger} from "@paid-inference/contract/IInferenceLedger.sol";

/// @title The ledger network's contract: enclave keys, and the inferences that they proved.
/// @notice It records that a registered key signed, and when. Whether trusted hardware holds the key is shown
/// by its attestation, of which this contract has only the hash.
contract InferenceLedger is IInferenceLedger, AccessControl, EIP712 {
    /// @notice May record. An account with only this role cannot invent an inference, since it needs an enclave
    /// key's signature.
    bytes32 public constant RELAYER = keccak256("RELAYER");
    /// @notice May register enclave keys. A gateway makes a new key at every start, so its relayer has this
    /// role, unless the admin revokes it and registers keys by hand.
    bytes32 public constant REGISTRAR = keccak256("REGISTRAR");

    bytes32 private constant PROOF_TYPEHASH = keccak256(
        "InferenceProof(bytes32 proofId,bytes32 inputHash,bytes32 outputHash,bytes32 modelHash,uint64 timestamp,string settlementType)"
    );
    /// @dev EIP-712 encodes a string as its hash.
    bytes32 private constant INDIVIDUAL = keccak256("individual");
    bytes32 private constant BATCH = keccak256("batch");

    mapping(address signer => EnclaveKey) private _enclaveKeys;
    mapping(bytes32 proofId => bool) private _recorded;
    /// @dev A batch fills one slot, which is most of the cost of recording it.
    mapping(bytes32 root => Batch) private _batches;
    /// @dev Starts at 1, so that the first batch costs no more than the others.
    uint64 private _nextSequence = 1;

    /// @param admin grants and revokes roles, and revokes enclave keys.
    /// @param relayer the account of the gateways.
    constructor(address admin, address relayer) EIP712("InferenceLedger", "1") {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(REGISTRAR, admin);
        _grantRole(REGISTRAR, relayer);
        _grantRole(RELAYER, relayer);
    }

    /// @dev A revoked key can never be registered again.
    function registerEnclaveKey(address signer, bytes32 attestationHash, string calldata provider)
        external
        onlyRole(REGISTRAR)
    {
        if (_enclaveKeys[signer].registeredAt != 0) revert AlreadyRegistered(signer);
        _enclaveKeys[signer] = EnclaveKey(attestationHash, uint64(block.timestamp), 0);
        emit EnclaveKeyRegistered(signer, attestationHash, provider);
    }

    function revokeEnclaveKey(address signer) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _requireActive(signer);
        _enclaveKeys[signer].revokedAt = uint64(block.timestamp);
        emit EnclaveKeyRevoked(signer);
    }

    function recordInferences(SignedInference[] calldata inferences) external onlyRole(RELAYER) {
        for (uint256 i = 0; i < inferences.length; ++i) {
            SignedInference calldata inference = inferences[i];
            if (_recorded[inference.proofId]) continue;
            address signer = ECDSA.recoverCalldata(_hashStatement(inference, INDIVIDUAL), inference.signature);
            _requireActive(signer);
            _recorded[inference.proofId] = true;
            emit InferenceRecorded(
                inference.proofId,
                signer,
                inference.inputHash,
                inference.outputHash,
                inference.modelHash,
                inference.timestamp,
                inference.signature
            );
        }
    }

    function recordBatch(bytes32 root, uint64 size) external onlyRole(RELAYER) {
        if (size == 0) revert EmptyBatch();
        if (_batches[root].size != 0) revert AlreadyRecorded(root);
        uint64 sequence = _nextSequence++;
        _batches[root] = Batch(sequence, size, uint64(block.timestamp));
        emit BatchRecorded(root, sequence, size);
    }

    function enclaveKey(address signer) external view returns (EnclaveKey memory) {
        return _enclaveKeys[signer];
    }

    function isRecorded(bytes32 proofId) external view returns (bool) {
        return _recorded[proofId];
    }

    function batch(bytes32 root) external view returns (Batch memory) {
        return _batches[root];
    }

    /// @dev The contract builds the leaf and does not take it from the caller. A statement that was signed for
    /// another settlement type gives another signer, and so a leaf that no honest tree has.
    function verifyInBatch(bytes32 root, SignedInference calldata inference, bytes32[] calldata path)
        external
        view
        returns (bool)
    {
        if (_batches[root].size == 0) return false;
        (address signer, ECDSA.RecoverError fault,) =
            ECDSA.tryRecoverCalldata(_hashStatement(inference, BATCH), inference.signature);
        if (fault != ECDSA.RecoverError.NoError) return false;
        bytes memory leaf = abi.encode(
            inference.proofId,
            inference.inputHash,
            inference.outputHash,
            inference.modelHash,
            inference.timestamp,
            "batch",
            signer
        );
        return MerkleProof.verifyCalldata(path, root, keccak256(bytes.concat(keccak256(leaf))));
    }

    /// @dev The digest that an enclave key signs. Another key or another content gives another address.
    function _hashStatement(SignedInference calldata inference, bytes32 settlementType)
        private
        view
        returns (bytes32)
    {
        return _hashTypedDataV4(
            keccak256(
                abi.encode(
                    PROOF_TYPEHASH,
                    inference.proofId,
                    inference.inputHash,
                    inference.outputHash,
                    inference.modelHash,
                    inference.timestamp,
                    settlementType
                )
            )
        );
    }

    function _requireActive(address signer) private view {
        EnclaveKey storage key = _enclaveKeys[signer];
        if (key.registeredAt == 0) revert UnknownSigner(signer);
        if (key.revokedAt != 0) revert RevokedSigner(signer);
    }
}
