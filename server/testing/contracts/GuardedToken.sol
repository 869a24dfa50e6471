// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title A test token that behaves as FiatToken v2.2 where the difference matters to a gateway.
/// @notice It calls accounts with code through ERC-1271, in both overloads of EIP-3009; it has a blocklist and
/// a pause. It has the arguments of PaymentToken. Any account may mint, block and pause, so it is for tests
/// only.
contract GuardedToken is ERC20, EIP712 {
    bytes32 private constant TRANSFER_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant CANCEL_TYPEHASH = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    bool public paused;
    /// While paused: 0, all transfers revert; 1, `transfer` returns false; 2, signed transfers also do nothing.
    uint8 public silence;
    mapping(address account => bool) public isBlocked;
    mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    constructor(string memory name_, string memory symbol_, address) ERC20(name_, symbol_) EIP712(name_, "1") {}

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    // solhint-disable-next-line func-name-mixedcase
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function setPaused(bool paused_) external {
        paused = paused_;
    }

    function setSilence(uint8 silence_) external {
        silence = silence_;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        return paused && silence > 0 ? false : super.transfer(to, value);
    }

    function setBlocked(address account, bool blocked) external {
        isBlocked[account] = blocked;
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        _authorized(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external {
        _authorized(from, to, value, validAfter, validBefore, nonce, signature);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        require(!paused, "paused");
        _consume(authorizer, nonce, keccak256(abi.encode(CANCEL_TYPEHASH, authorizer, nonce)), abi.encodePacked(r, s, v));
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function _authorized(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) private {
        if (paused && silence == 2) return;
        require(block.timestamp > validAfter, "not yet valid");
        require(block.timestamp < validBefore, "expired");
        bytes32 digest = keccak256(abi.encode(TRANSFER_TYPEHASH, from, to, value, validAfter, validBefore, nonce));
        _consume(from, nonce, digest, signature);
        emit AuthorizationUsed(from, nonce);
        _transfer(from, to, value);
    }

    function _consume(address authorizer, bytes32 nonce, bytes32 structHash, bytes memory signature) private {
        require(!authorizationState[authorizer][nonce], "used or canceled");
        require(
            SignatureChecker.isValidSignatureNow(authorizer, _hashTypedDataV4(structHash), signature), "invalid signature"
        );
        authorizationState[authorizer][nonce] = true;
    }

    function _update(address from, address to, uint256 value) internal override {
        require(!paused || from == address(0), "paused");
        require(!isBlocked[from] && !isBlocked[to], "blocked");
        super._update(from, to, value);
    }
}
