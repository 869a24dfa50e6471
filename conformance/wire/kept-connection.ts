import { type Agent, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/**
 * Creates the agent that keeps one connection open for its requests. The idle connection does not keep the
 * process alive.
 */
export function keptConnection(): (url: string) => Agent {
  let agent: Agent | undefined;
  return (url) => {
    const options = { keepAlive: true, maxSockets: 1 };
    agent ??= url.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options);
    return agent;
  };
}
