-- A released `private` request leaves no hash.

UPDATE payment SET fingerprint = '' WHERE state = 'released' AND settlement_type = 'private';
