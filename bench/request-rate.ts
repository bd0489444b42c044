import { Agent, get } from "node:http";

const CALLERS = 16;

/** Sends the request repeatedly from several callers at once. @returns answers per second @throws if an answer is not a 200 */
export async function requestRate(url: string, token: string | null, ms: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  // Otherwise the local server compresses each answer.
  const headers = {
    "accept-encoding": "identity",
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  const ask = () =>
    new Promise<void>((answered, failed) => {
      get(url, { agent, headers }, (response) => {
        if (response.statusCode !== 200) failed(new Error(`${url}: ${response.statusCode}`));
        response.resume().once("end", answered).once("error", failed);
      }).once("error", failed);
    });
  const startedAt = performance.now();
  let answers = 0;
  const call = async () => {
    while (performance.now() - startedAt < ms) {
      await ask();
      answers += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: CALLERS }, call));
  } finally {
    agent.destroy();
  }
  return (answers * 1000) / (performance.now() - startedAt);
}
