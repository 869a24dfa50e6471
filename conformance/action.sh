#!/usr/bin/env bash
# Runs the suite with the inputs of action.yml from the environment. The key stays in the environment.
set -uo pipefail

finish() {
  if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "exit-code=$1" >>"$GITHUB_OUTPUT"; fi
  exit "$1"
}

folder="${INPUT_REPORT_FOLDER:-conformance-report}"
mkdir -p -- "$folder" || finish 2

arguments=(--profile "${INPUT_PROFILE:-free}")
for name in report.json junit.xml report.html summary.md badge.json; do
  arguments+=("--report=$folder/$name")
done
option() {
  if [ -n "$2" ]; then arguments+=("$1" "$2"); fi
}
option --model "${INPUT_MODEL:-}"
option --filter "${INPUT_FILTER:-}"
option --max-per-request "${INPUT_MAX_PER_REQUEST:-}"
option --max-total "${INPUT_MAX_TOTAL:-}"
option --expected-failures "${INPUT_EXPECTED_FAILURES:-}"
# The values of YAML may have capitals. An unknown value must not pass for false.
flag() {
  case "$3" in
    [Tt][Rr][Uu][Ee]) arguments+=("$2") ;;
    [Ff][Aa][Ll][Ss][Ee] | '') ;;
    *)
      echo "The input $1 is neither true nor false. Correct it" >&2
      finish 2
      ;;
  esac
}
flag strict --strict "${INPUT_STRICT:-}"
flag allow-incomplete --allow-incomplete "${INPUT_ALLOW_INCOMPLETE:-}"
flag own-target --i-own-this-target "${INPUT_OWN_TARGET:-}"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then arguments+=(--step-summary); fi

# The output contains text of the target, so the CI runner ignores commands until the token is printed again. The token is
# new in every run and unknown to the suite. Both outputs share one pipe, so that nothing follows the token.
token="$(node -p 'crypto.randomUUID()')" || finish 2
trap 'echo "::$token::"' EXIT
echo "::stop-commands::$token"
node "$(dirname "$0")/cli.ts" "${arguments[@]}" -- "${INPUT_URL:-}" 2>&1
finish $?
