// Runs before every npm script, on whatever Node the machine has: plain JavaScript, and nothing from node_modules.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST_NODE = 20;
const WRITING_MS = 5_000;
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
const lockPath = join(root, "build", "install.lock");

/** @param {string} message */
function fail(message) {
  console.error(`gantry: ${message}`);
  process.exit(1);
}

/** @param {string} path */
function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/**
 * Compares what npm says it has installed with what package-lock.json asks for. npm writes its own list last, so an
 * installation that was cut off has none. Packages for other platforms are optional, and missing rightly.
 */
function isInstalled() {
  const wanted = readJson(join(root, "package-lock.json"))?.packages;
  const installed = readJson(join(modules, ".package-lock.json"))?.packages;
  if (!wanted) fail("package-lock.json is missing or damaged. Restore it: git checkout package-lock.json");
  if (!installed) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    const present = installed[path];
    if (!present) return entry.optional === true || entry.devOptional === true || entry.peer === true;
    // An entry without a hash is of a registry that does not have the package; npm may have noted the hash it found.
    const isSame = entry.integrity === undefined || present.integrity === entry.integrity;
    return present.version === entry.version && isSame;
  });
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** One installation at a time: npm ci empties node_modules under the feet of another. */
async function withLock(work) {
  mkdirSync(dirname(lockPath), { recursive: true });
  let hasSaid = false;
  for (;;) {
    try {
      writeFileSync(lockPath, `${process.pid}`, { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") fail(`cannot write ${lockPath}: ${error.message}`);
    }
    const holder = Number(readFileOrEmpty(lockPath));
    // A number of nobody belongs to one that was killed. An empty file to one that is just being written, but not for
    // long: it may also have been killed before it wrote, or found the disk full.
    const isLeft = holder > 0 ? !isAlive(holder) : millisecondsOld(lockPath) > WRITING_MS;
    if (isLeft) rmSync(lockPath, { force: true });
    else if (!hasSaid) {
      console.log(`Waiting for another installation of the packages (process ${holder})`);
      hasSaid = true;
    }
    await new Promise((done) => setTimeout(done, 200));
  }
  try {
    return await work();
  } finally {
    rmSync(lockPath, { force: true });
  }
}

function millisecondsOld(path) {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function readFileOrEmpty(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The Node that installs must not be the one in node_modules, which npm ci takes away. */
function outsidePath() {
  const parts = (process.env.PATH ?? "").split(delimiter);
  return parts.filter((part) => !resolve(part).startsWith(modules)).join(delimiter);
}

/**
 * Runs npm to its end.
 * @param {string[]} args
 * @returns {Promise<{ code: number, output: string }>}
 */
function runNpm(args) {
  const npm = spawn(
    "npm",
    [...args, "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"],
    {
      cwd: root,
      env: { ...process.env, PATH: outsidePath() },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  return new Promise((done) => {
    let output = "";
    for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk) => (output += chunk));
    npm.once("error", (error) => done({ code: 1, output: error.message }));
    npm.once("close", (code) => done({ code: code ?? 1, output }));
  });
}

async function install() {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  const doing = "Installing packages from package-lock.json";
  const isTerminal = process.stdout.isTTY;
  process.stdout.write(isTerminal ? doing : `${doing}, about a minute\n`);
  const ticker = setInterval(() => {
    if (isTerminal) process.stdout.write(`\r${doing}, ${seconds()} s `);
  }, 1000);

  let { code, output } = await runNpm(["ci"]);
  // Some registries lack the packages of other systems, which npm then leaves out of the lock file, and npm ci refuses
  // such a file where they are to be had. npm install takes the same versions, and need not write anything down.
  if (code !== 0 && output.includes("EUSAGE")) ({ code, output } = await runNpm(["install", "--no-save"]));
  clearInterval(ticker);
  if (isTerminal) process.stdout.write("\r\u001b[K");
  if (code !== 0) {
    console.error(output.trim());
    rmSync(lockPath, { force: true });
    fail(
      "the packages could not be installed, see above. Once the cause is gone, run the same command again.",
    );
  }
  console.log(`Packages installed in ${seconds()} s`);
}

const major = Number(process.versions.node.split(".")[0]);
if (major < OLDEST_NODE)
  fail(
    `needs Node ${OLDEST_NODE} or newer, and this is ${process.versions.node}. Get one from https://nodejs.org`,
  );
if (spawnSync("git", ["--version"], { stdio: "ignore" }).status !== 0)
  fail("needs git, which is not on the PATH. Get it from https://git-scm.com or your system's packages.");

if (!isInstalled())
  await withLock(async () => {
    // The one that was waited for may have done it.
    if (!isInstalled()) await install();
  });
