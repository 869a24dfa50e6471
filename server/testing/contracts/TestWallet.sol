// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title A contract wallet for tests (ERC-1271), which may be hostile.
/// @notice It accepts the signature of its owner, with any bytes after it. Its conduct is one of a few: all but
/// the first are hostile to the sender of a batch.
contract TestWallet {
    uint8 private constant HONEST = 0;
    uint8 private constant BURNS_GAS = 1;
    uint8 private constant BURNS_GAS_IN_TRANSACTIONS = 2;
    uint8 private constant REVERTS_IN_TRANSACTIONS = 3;
    uint8 private constant REVERTS_WITH_MUCH_DATA = 4;
    uint8 private constant RETURNS_MUCH_DATA = 5;
    uint8 private constant REENTERS = 6;
    uint8 private constant TAKES_EVEN_BLOCKS = 7;

    bytes4 private constant ACCEPTS = 0x1626ba7e;
    address private immutable owner;
    uint8 public conduct;

    constructor(address owner_) {
        owner = owner_;
    }

    function setConduct(uint8 conduct_) external {
        conduct = conduct_;
    }

    /// @dev Not `view`: a hostile wallet may try to write.
    function isValidSignature(bytes32 digest, bytes calldata signature) external returns (bytes4) {
        uint8 now_ = conduct;
        // A simulation has no origin.
        bool isSent = tx.origin != address(0);
        if (now_ == BURNS_GAS || (isSent && now_ == BURNS_GAS_IN_TRANSACTIONS)) _burnGas();
        if (isSent && now_ == REVERTS_IN_TRANSACTIONS) revert("not in a transaction");
        if (now_ == TAKES_EVEN_BLOCKS && block.number % 2 == 1) revert("not in this block");
        if (isSent && now_ == REVERTS_WITH_MUCH_DATA) _giveMuch(true);
        if (now_ == REENTERS) _reenter();
        if (!_isOwners(digest, signature)) return 0xffffffff;
        if (isSent && now_ == RETURNS_MUCH_DATA) _giveMuch(false);
        return ACCEPTS;
    }

    function _isOwners(bytes32 digest, bytes calldata signature) private view returns (bool) {
        if (signature.length < 65) return false;
        (address signer, ECDSA.RecoverError fault,) = ECDSA.tryRecover(digest, signature[:65]);
        return fault == ECDSA.RecoverError.NoError && signer == owner;
    }

    /// @dev Sends a token away in the middle of the payment. The token asks with a static call, so this fails.
    function _reenter() private {
        (bool succeeded,) =
            msg.sender.call{gas: 20_000}(abi.encodeWithSignature("transfer(address,uint256)", address(0xdead), uint256(1)));
        if (succeeded) _burnGas();
    }

    function _burnGas() private pure {
        while (true) {}
    }

    /// @dev About as many bytes as the gas of a call in a batch can pay for.
    function _giveMuch(bool reverts) private pure {
        assembly ("memory-safe") {
            mstore(0x00, shl(224, 0x1626ba7e))
            switch reverts
            case 0 { return(0x00, 60000) }
            default { revert(0x00, 60000) }
        }
    }
}
