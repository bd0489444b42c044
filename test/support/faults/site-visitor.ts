import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

import { markerOf } from "./source.ts";

/** A client that requests a site's page at an interval, and checks that each answer is one complete page. */
export type SiteVisitor = {
  readonly requests: number;
  /** The first few failures, with their times. */
  readonly failures: readonly string[];
  readonly failed: number;
  /** The marker of the latest page. */
  readonly seen: string | null;
  /** The markers of all pages since the last `forgetMarkers`. */
  readonly markers: ReadonlySet<string>;
  forgetMarkers(): void;
  /**
   * Ignores failures while the site may be down. Several causes can overlap (its server is killed while the project
   * moves), so each caller gets a separate excuse.
   * @returns a function that ends this excuse and no other
   */
  excuse(): () => void;
  /** Ignores failures until a request that is sent from now on is answered. */
  excuseUntilAnswered(): void;
  leave(): Promise<void>;
};

const KEPT_FAILURES = 5;

/** @param everyMs the pause between two requests */
export function visitSite(url: string, everyMs: number): SiteVisitor {
  let isVisiting = true;
  const excuses = new Set<symbol>();
  /** The excuses that end with the next answer. */
  const untilAnswered = new Set<symbol>();
  let requests = 0;
  let failed = 0;
  let seen: string | null = null;
  const failures: string[] = [];
  const markers = new Set<string>();

  async function look(): Promise<void> {
    const wasExcused = excuses.size > 0;
    const answerEnds = [...untilAnswered];
    const failure = await readPage(url).then(
      ({ status, body }) => {
        if (status !== 200) return `status ${status}`;
        const marker = markerOf(body);
        if (marker === null) return `a page that is not one complete release: ${body.slice(0, 100)}`;
        seen = marker;
        markers.add(marker);
        return null;
      },
      (error: unknown) => String(error),
    );
    requests += 1;
    if (failure === null)
      for (const excuse of answerEnds) {
        untilAnswered.delete(excuse);
        excuses.delete(excuse);
      }
    if (failure === null || wasExcused || excuses.size > 0) return;
    failed += 1;
    if (failures.length < KEPT_FAILURES)
      failures.push(`${new Date().toISOString()} after ${seen ?? "nothing"}: ${failure}`);
  }

  const visiting = (async () => {
    while (isVisiting) {
      await look();
      await pause(everyMs);
    }
  })();
  return {
    get requests() {
      return requests;
    },
    get failed() {
      return failed;
    },
    get seen() {
      return seen;
    },
    failures,
    markers,
    forgetMarkers: () => markers.clear(),
    excuse() {
      const excuse = Symbol("excuse");
      excuses.add(excuse);
      return () => excuses.delete(excuse);
    },
    excuseUntilAnswered() {
      const excuse = Symbol("until answered");
      excuses.add(excuse);
      untilAnswered.add(excuse);
    },
    async leave() {
      isVisiting = false;
      await visiting;
    },
  };
}

/** Opens a new connection for each request, so that a closed connection fails no later request. */
function readPage(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false, timeout: 30_000 }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (body += chunk));
      response.once("error", reject);
      response.once("close", () =>
        response.complete
          ? resolve({ status: response.statusCode ?? 0, body })
          : reject(new Error("the answer was cut off")),
      );
    });
    asked.once("timeout", () => asked.destroy(new Error("no answer in time")));
    asked.once("error", reject);
    asked.end();
  });
}
