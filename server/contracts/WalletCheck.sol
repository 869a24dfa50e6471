// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

/// @title Asks a contract wallet whether it accepts a signature (ERC-1271), in a simulation.
/// @notice The contract is never deployed: the gateway simulates it as contract creation code. A wallet may burn
/// gas, revert, or return much data. The result is one word in any case.
contract WalletCheck {
    /// @param wallet The account that is asked.
    /// @param callGas Gas of the call. The simulation reverts if the call cannot get it.
    /// @param data The calldata of `isValidSignature(bytes32,bytes)`.
    /// @dev The result is 0 for an account without code, 1 if the wallet accepts the signature, 2 if it does not.
    constructor(address wallet, uint256 callGas, bytes memory data) {
        assembly ("memory-safe") {
            let verdict := 0
            if extcodesize(wallet) {
                // A call gets at most 63/64 of the remaining gas (EIP-150).
                if lt(gas(), add(callGas, add(div(callGas, 32), 5000))) { revert(0, 0) }
                let succeeded := staticcall(callGas, wallet, add(data, 32), mload(data), 0, 32)
                // The magic value of ERC-1271, as the first of 32 bytes.
                let accepts := and(gt(returndatasize(), 31), eq(mload(0), shl(224, 0x1626ba7e)))
                verdict := sub(2, and(succeeded, accepts))
            }
            mstore(0, verdict)
            return(0, 32)
        }
    }
}
