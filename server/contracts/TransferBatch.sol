// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

/// @title Makes many token transfers in the one transaction that creates this contract, and leaves no code
/// behind.
/// @notice The contract is not deployed beforehand: a batch is sent, or simulated, as contract creation code.
/// @dev For a payer's account with code, the token asks that code whether a signature is valid (ERC-1271). Such
/// code may burn all its gas. Each call gets an equal amount of gas, so no call can take gas from another.
contract TransferBatch {
    /// @param token Called once for each transfer.
    /// @param gasPerCall Gas of each call. The transaction reverts if a call cannot get it, so in a successful
    /// transaction every call had its gas.
    /// @param reports True in a simulation: the result is the block's time in 32 bytes, then one byte for each
    /// call, 1 if it succeeded. A call that returned false has failed (ERC-20). A call to an account without code
    /// has failed too, although the EVM reports its success. A transaction returns nothing, because the chain would
    /// store the result as code.
    /// @param calls The calldata of each call in sequence, each after its length in 2 bytes.
    constructor(address token, uint256 gasPerCall, bool reports, bytes memory calls) {
        assembly ("memory-safe") {
            let end := add(add(calls, 32), mload(calls))
            let at := add(calls, 32)
            let report := mload(0x40)
            mstore(report, timestamp())
            let reportEnd := add(report, 32)
            let hasCode := gt(extcodesize(token), 0)
            // A call gets at most 63/64 of the remaining gas (EIP-150). The rest of the loop needs under 5,000.
            let gasNeeded := add(gasPerCall, add(div(gasPerCall, 32), 5000))
            for {} lt(at, end) {} {
                if lt(gas(), gasNeeded) { revert(0, 0) }
                let callBytes := shr(240, mload(at))
                at := add(at, 2)
                let succeeded := call(gasPerCall, token, 0, at, callBytes, 0, 32)
                let returnedFalse := and(gt(returndatasize(), 31), iszero(mload(0)))
                mstore8(reportEnd, and(hasCode, and(succeeded, iszero(returnedFalse))))
                reportEnd := add(reportEnd, 1)
                at := add(at, callBytes)
            }
            return(report, mul(reports, sub(reportEnd, report)))
        }
    }
}
