#!/usr/bin/env bash
# Runs the suite with the inputs of action.yml from the environment. The key stays in the environment.
set -uo pipefail

folder="${INPUT_REPORT_FOLDER:-conformance-report}"
mkdir -p "$folder" || exit 2

arguments=(--profile "${INPUT_PROFILE:-free}")
for name in report.json junit.xml report.html summary.md badge.json; do
  arguments+=(--report "$folder/$name")
done
option() {
  if [ -n "$2" ]; then arguments+=("$1" "$2"); fi
}
option --model "${INPUT_MODEL:-}"
option --filter "${INPUT_FILTER:-}"
option --max-per-request "${INPUT_MAX_PER_REQUEST:-}"
option --max-total "${INPUT_MAX_TOTAL:-}"
option --expected-failures "${INPUT_EXPECTED_FAILURES:-}"
if [ "${INPUT_STRICT:-}" = true ]; then arguments+=(--strict); fi
if [ "${INPUT_ALLOW_INCOMPLETE:-}" = true ]; then arguments+=(--allow-incomplete); fi
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then arguments+=(--step-summary); fi

# The output contains text of the target, so the CI runner ignores commands until the token is printed again. The token is
# new in every run and unknown to the suite. Both outputs share one pipe, so that nothing follows the token.
token="$(node -p 'crypto.randomUUID()')" || exit 2
trap 'echo "::$token::"' EXIT
echo "::stop-commands::$token"
node "$(dirname "$0")/cli.ts" "${arguments[@]}" -- "${INPUT_URL:-}" 2>&1
code=$?
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "exit-code=$code" >>"$GITHUB_OUTPUT"; fi
exit "$code"
