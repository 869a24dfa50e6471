/** Most calls of one kind at once. The questions of more calls would each wait for a connection to the node (D-227). */
const callsMax = 8;

/**
 * Gathers questions to a node. Questions of one turn of the event loop, or of the time while all calls are busy, share a
 * call. `takeSome` returns the first questions, as many as one call may have. `ask` settles each of them and never throws.
 */
export function gatherQuestions<Question>(
  takeSome: (waiting: readonly Question[]) => readonly Question[],
  ask: (questions: readonly Question[]) => Promise<void>,
): (question: Question) => void {
  let waiting: Question[] = [];
  let isDue = false;
  let underWay = 0;
  return (question) => {
    waiting.push(question);
    callSoon();
  };

  function callSoon(): void {
    if (isDue || waiting.length === 0 || underWay === callsMax) return;
    isDue = true;
    setImmediate(() => void call());
  }

  async function call(): Promise<void> {
    isDue = false;
    const questions = takeSome(waiting);
    waiting = waiting.slice(questions.length);
    underWay += 1;
    callSoon();
    await ask(questions);
    underWay -= 1;
    callSoon();
  }
}
