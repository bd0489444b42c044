import { join } from "node:path";

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

import { executable, openTab } from "../test/browser/support/browser.ts";
import { signInWithToken } from "../test/browser/support/sign-in.ts";
import { createRepository } from "../test/support/journey-repository.ts";
import type { System } from "../test/support/journey-system.ts";
import { seedDeployments } from "../test/support/seed-deployments.ts";
import { median, percentile, type Row, time } from "./measure.ts";

const FRAME_GOAL_MS = 50;
const READABLE_GOAL_MS = 500;
const LOADS = 10;
const DEPLOYMENTS = 10_000;
const LINES = 50_000;
/** Ten screens a second: 250 deployments, or 500 lines. */
const SCROLLED_PX_A_SECOND = 10_000;
const GESTURE_PX = 20_000;
/** An empty page of a great height, for comparison. */
const PLAIN = `data:text/html,<title>plain</title><body style="height:2000000px">`;

/** Measures in Chromium how long a page takes to be readable, and its frames while it is scrolled at SCROLLED_PX_A_SECOND. */
export async function measureDashboard(system: System, home: string): Promise<Row[]> {
  const browser = await chromium.launch({ executablePath: await executable(), args: ["--no-sandbox"] });
  try {
    const plain = await framesOfPlainPage(browser, system);
    const list = await measureList(browser, system);
    return [
      readableRow(list.loads, await timesToLoad(browser, PLAIN)),
      rowOf(`scrolling ${DEPLOYMENTS} deployments, loading them`, list.frames, plain),
      ...(await framesOfLog(browser, system, home)).map(([what, frames]) => rowOf(what, frames, plain)),
    ];
  } finally {
    await browser.close();
  }
}

type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** Frame durations, and the CPU time of all frames. On a busy machine a frame takes longer than its CPU time. */
type Frames = { readonly ms: readonly number[]; readonly busyMs: number };

function rowOf(what: string, frames: Frames, plain: Frames): Row {
  const [p95, plainP95] = [percentile(frames.ms, 95), percentile(plain.ms, 95)];
  return {
    what: `${what}, ${frames.ms.length} frames`,
    measured: textOf(frames),
    against: `${textOf(plain)}  an empty page`,
    ratio: `${(p95 / plainP95).toFixed(2)}×`,
    goal: `p95 ≤ ${FRAME_GOAL_MS} ms`,
    isMet: p95 <= FRAME_GOAL_MS,
  };
}

function textOf({ ms, busyMs }: Frames): string {
  const busy = (busyMs / ms.length).toFixed(0);
  return `p95 ${percentile(ms, 95).toFixed(0)} ms, at most ${Math.max(...ms).toFixed(0)}; ${busy} ms of a core each`;
}

function readableRow(loads: readonly number[], plain: readonly number[]): Row {
  const [ms, plainMs] = [median(loads), median(plain)];
  return {
    what: `a project with ${DEPLOYMENTS} deployments, readable without a cache`,
    measured: `${ms.toFixed(0)} ms, at most ${Math.max(...loads).toFixed(0)}`,
    against: `${plainMs.toFixed(0)} ms  an empty page`,
    ratio: `${(ms / plainMs).toFixed(2)}×`,
    goal: `≤ ${READABLE_GOAL_MS} ms`,
    isMet: ms <= READABLE_GOAL_MS,
  };
}

/** The times until a page shows a text, or is loaded, each in a browser context of its own without a cache. */
async function timesToLoad(
  browser: Browser,
  url: string,
  shown: { readonly session: StorageState; readonly text: string } | null = null,
): Promise<number[]> {
  const times: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    const context = await browser.newContext(shown === null ? {} : { storageState: shown.session });
    const page = await context.newPage();
    times.push(
      await time(async () => {
        await page.goto(url);
        if (shown !== null) await page.getByText(shown.text, { exact: true }).first().waitFor();
      }),
    );
    await context.close();
  }
  return times;
}

async function framesOfPlainPage(browser: Browser, system: System): Promise<Frames> {
  const { page, context } = await openTab(browser, system.local.url);
  await page.goto(PLAIN);
  const frames = await framesWhile(page, async () => {
    for (const sign of [1, -1, 1, -1]) await scroll(page, sign);
  });
  await context.close();
  return frames;
}

async function measureList(
  browser: Browser,
  system: System,
): Promise<{ readonly frames: Frames; readonly loads: readonly number[] }> {
  const { local, api } = system;
  const project = await api.createProject({
    name: "bench-list",
    server_id: local.server_id,
    repository: "/nowhere",
  });
  seedDeployments(system.home, local, project, { count: DEPLOYMENTS, days: 365 });
  const { page, context } = await openTab(browser, local.url);
  await signInWithToken(page, local, `/app/projects/${project.id}`);
  await page.getByRole("list", { name: "Deployments" }).getByText(`v${DEPLOYMENTS}`).waitFor();
  const first = page.getByRole("list", { name: "Deployments" }).getByText("v1", { exact: true });
  const frames = await framesWhile(page, async () => {
    while ((await first.count()) === 0) await scroll(page, 1);
    for (const sign of [-1, -1, 1, 1]) await scroll(page, sign);
  });
  const shown = { session: await context.storageState(), text: `v${DEPLOYMENTS}` };
  await context.close();
  return { frames, loads: await timesToLoad(browser, `${local.url}/app/projects/${project.id}`, shown) };
}

async function framesOfLog(browser: Browser, system: System, home: string): Promise<[string, Frames][]> {
  const { local, api } = system;
  const { path, commit } = await createRepository(join(home, "bench-long-log"));
  await commit({ "index.html": "long" });
  const project = await api.createProject({
    name: "bench-long-log",
    server_id: local.server_id,
    repository: path,
    build_command: `seq -f "$(printf '\\033[32m%%06.0f\\033[0m') compiled a module of the shop in 12 ms" ${LINES}`,
  });
  const { id } = await api.start(project.id);
  await api.ended(id, 120_000);
  const { page, context } = await openTab(browser, local.url);
  await signInWithToken(page, local, "/app/charts");
  const reading = await framesWhile(page, async () => {
    await page.evaluate(
      `history.pushState(null, "", "/app/deployments/${id}"); dispatchEvent(new Event("popstate"))`,
    );
    // A stage has its number of lines when all of them are read.
    const build = page.getByRole("list", { name: "Lines of Build" });
    await build.locator(`[aria-setsize]:not([aria-setsize="-1"])`).first().waitFor();
  });
  const lines = page.getByRole("region", { name: "Lines" });
  await lines.scrollIntoViewIfNeeded();
  const frames = await framesWhile(page, async () => {
    for (const sign of [1, 1, 1, -1, -1, 1]) await scroll(page, sign);
    await page.keyboard.press("End");
    await page.keyboard.press("Home");
  });
  await context.close();
  return [
    [`reading a log of ${LINES} lines`, reading],
    [`scrolling ${LINES} lines`, frames],
  ];
}

/** Measures each frame while `work` runs. */
async function framesWhile(page: Page, work: () => Promise<void>): Promise<Frames> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const busy = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1000 * (metrics.find(({ name }) => name === "ThreadTime")?.value ?? 0);
  };
  await page.evaluate(
    "frames = []; { let before = performance.now(); const next = (now) => { frames?.push(now - before); before = now; if (frames) requestAnimationFrame(next); }; requestAnimationFrame(next); }",
  );
  const before = await busy();
  await work();
  const busyMs = (await busy()) - before;
  const ms = await page.evaluate<number[]>("{ const all = frames; frames = null; all }");
  await session.detach();
  // The first duration belongs to a frame that began before the measurement.
  return { ms: ms.slice(1), busyMs };
}

/** Scrolls the page with a gesture that the browser generates. @param sign 1: towards the end */
async function scroll(page: Page, sign: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Input.synthesizeScrollGesture", {
    x: 640,
    y: 700,
    yDistance: -sign * GESTURE_PX,
    speed: SCROLLED_PX_A_SECOND,
    gestureSourceType: "mouse",
    preventFling: true,
  });
  await session.detach();
}
