import { createServer } from "node:http";

import { THIRTY_TWO_BYTES } from "#contract/endpoints/connect/connect-code.ts";
import { dashboardPage } from "#contract/public-paths.ts";

/** Receives the proof of the page, which a browser on this machine opens. */
export type ProofListener = {
  readonly port: number;
  /** The last proof that was received; null: none. Any page can send one, but only the right one is accepted. */
  readonly proof: () => string | null;
  /** Is called for each proof. */
  onProof: () => void;
  readonly close: () => void;
};

/**
 * Listens on a free port of this machine for the page of a sign-in, which sends the browser there when the person has allowed it.
 * @returns null if it cannot listen
 */
export async function listenForProof(url: string): Promise<ProofListener | null> {
  let proof: string | null = null;
  const server = createServer((request, response) => {
    // Not by URL, which throws for some of the paths that any page can send.
    const [, given = ""] = /^\/\?proof=([\w-]*)$/.exec(request.url ?? "") ?? [];
    if (!THIRTY_TWO_BYTES.test(given)) {
      response.writeHead(404).end();
      return;
    }
    proof = given;
    // Back to the page, so that the proof does not stay in the address bar.
    response
      .writeHead(303, {
        location: `${dashboardPage(url, "/connect")}#connected`,
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        connection: "close",
      })
      .end();
    listener.onProof();
  });
  const port = await new Promise<number | null>((resolve) => {
    server.once("error", () => resolve(null));
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : null);
    });
  });
  if (port === null) return null;
  const listener: ProofListener = {
    port,
    proof: () => proof,
    onProof: () => undefined,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return listener;
}
