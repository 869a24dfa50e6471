import { type Agent, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/** Gives the agent that keeps one connection open for all requests that use it. Its idle connection ends no later than the process. */
export function keptConnection(): (url: string) => Agent {
  let agent: Agent | undefined;
  return (url) => {
    const options = { keepAlive: true, maxSockets: 1 };
    agent ??= url.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options);
    return agent;
  };
}
