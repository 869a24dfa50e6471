// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

/// @title Makes many token transfers in the one transaction that creates this contract, and leaves no code behind.
/// @notice Nobody deploys it beforehand: a batch is sent, or simulated, as contract creation code.
/// @dev The token asks a payer's account whether a signature is its own where that account has code (ERC-1271). Such code
/// may burn all the gas that it gets. So each call gets an equal amount of gas, and no call can take it from another.
contract TransferBatch {
    /// @param token Called once for each transfer.
    /// @param gasPerCall Gas of each call. The whole reverts where a call could not get it, so a transaction that did
    /// not revert gave every call its gas.
    /// @param reports True in a simulation: the result is the block's time in 32 bytes, then one byte for each call, 1
    /// where it succeeded. A call that returned false did not (ERC-20). In a transaction nothing is returned, or it
    /// would be stored as code.
    /// @param calls The calldata of each call, padded to 292 bytes, one after the other.
    constructor(address token, uint256 gasPerCall, bool reports, bytes memory calls) {
        assembly ("memory-safe") {
            let callBytes := 292
            let count := div(mload(calls), callBytes)
            let calldataAt := add(calls, 32)
            let report := mload(0x40)
            mstore(report, timestamp())
            // A call gets at most 63/64 of what is left (EIP-150); the rest of the loop needs less than 5,000.
            let gasNeeded := add(gasPerCall, add(div(gasPerCall, 32), 5000))
            for { let index := 0 } lt(index, count) { index := add(index, 1) } {
                if lt(gas(), gasNeeded) { revert(0, 0) }
                let succeeded := call(gasPerCall, token, 0, calldataAt, callBytes, 0, 32)
                let returnedFalse := and(gt(returndatasize(), 31), iszero(mload(0)))
                mstore8(add(add(report, 32), index), and(succeeded, iszero(returnedFalse)))
                calldataAt := add(calldataAt, callBytes)
            }
            return(report, mul(reports, add(32, count)))
        }
    }
}
