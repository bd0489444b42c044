// Runs before npm scripts on the machine's own Node, so it is plain JavaScript and imports nothing from node_modules.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const OLDEST_NODE = 20;
const WRITING_MS = 5_000;
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
const lockPath = join(root, "build", "install.lock");

function fail(message) {
  console.error(`gantry: ${message}`);
  process.exit(1);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/**
 * Compares the list of installed packages in node_modules with package-lock.json. npm writes that list last, so an
 * interrupted installation has none. Packages for other platforms are optional and may be missing.
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
    // An entry has no hash if the registry lacked the package. npm may still have recorded the hash that it found.
    const isSame = entry.integrity === undefined || present.integrity === entry.integrity;
    return present.version === entry.version && isSame;
  });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Allows one installation at a time, because npm ci empties node_modules. */
async function withLock(work) {
  mkdirSync(dirname(lockPath), { recursive: true });
  let hasPrinted = false;
  for (;;) {
    try {
      writeFileSync(lockPath, `${process.pid}`, { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") fail(`cannot write ${lockPath}: ${error.message}`);
    }
    const holder = Number(readFileOrEmpty(lockPath));
    // The lock is stale if its process has ended. An empty file is being written, unless it is old: then its process was
    // killed before the write, or the disk was full.
    const isStale = holder > 0 ? !isAlive(holder) : millisecondsOld(lockPath) > WRITING_MS;
    if (isStale) rmSync(lockPath, { force: true });
    else if (!hasPrinted) {
      console.log(`Waiting for another installation of the packages (process ${holder})`);
      hasPrinted = true;
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

/** The PATH without node_modules: npm must not run on the Node in there, which npm ci removes. */
function outsidePath() {
  const parts = (process.env.PATH ?? "").split(delimiter);
  return parts.filter((part) => !resolve(part).startsWith(modules)).join(delimiter);
}

/** @returns the exit code and the output of npm */
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
  // Some registries lack the packages of other systems, and npm then omits them from the lock file. npm ci refuses such
  // a file if its registry has them. npm install --no-save installs the same versions and leaves the file unchanged.
  if (code !== 0 && output.includes("EUSAGE")) ({ code, output } = await runNpm(["install", "--no-save"]));
  clearInterval(ticker);
  if (isTerminal) process.stdout.write("\r\u001b[K");
  if (code !== 0) {
    console.error(output.trim());
    rmSync(lockPath, { force: true });
    fail("the packages could not be installed, see above. Fix the cause and run the same command again.");
  }
  console.log(`Packages installed in ${seconds()} s`);
}

const major = Number(process.versions.node.split(".")[0]);
if (major < OLDEST_NODE)
  fail(
    `needs Node ${OLDEST_NODE} or newer, and this is ${process.versions.node}. Get it from https://nodejs.org`,
  );
if (spawnSync("git", ["--version"], { stdio: "ignore" }).status !== 0)
  fail("needs git, which is not on the PATH. Get it from https://git-scm.com or your system's packages.");

if (!isInstalled())
  await withLock(async () => {
    // Another process may have installed the packages in the meantime.
    if (!isInstalled()) await install();
  });
