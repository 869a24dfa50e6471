// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title The payment token of the embedded devnet: a six-decimal ERC-20 that moves by signed authorization.
/// @notice A test token. Its owner can mint without limit, so it must never stand for anything of value.
contract PaymentToken is ERC20, ERC3009, Ownable {
    /// @dev The domain version "1" is that of the contract's payment requirements (section 2.8).
    constructor(string memory name_, string memory symbol_, address owner_)
        ERC20(name_, symbol_)
        EIP712(name_, "1")
        Ownable(owner_)
    {}

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 value) external onlyOwner {
        _mint(to, value);
    }

    /// @dev The gateway compares this with its own result before it takes its first payment.
    // solhint-disable-next-line func-name-mixedcase
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    /// @notice The overload of FiatToken v2.2: the signature in one piece, by a key or a contract wallet.
    /// @dev It shares nonces with the (v, r, s) form. SignatureChecker rejects an empty signature of an account
    /// without code, as it does any wrong signature.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external {
        bytes32 digest = _hashTypedDataV4(
            keccak256(
                abi.encode(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce)
            )
        );
        require(SignatureChecker.isValidSignatureNow(from, digest, signature), ERC3009InvalidSignature());
        _transferWithAuthorization(from, to, value, validAfter, validBefore, nonce);
    }
}
