/** A small app of a framework. */
export type App = {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly framework: string;
  readonly app_type: "static" | "server";
  /** Text that its page contains. */
  readonly text: string;
  readonly root_directory?: string;
  /** Paths with a text of the page, or the address that they redirect to, or `404`. */
  readonly answers?: Readonly<Record<string, string>>;
};

type Manifest = {
  readonly packageManager?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly workspaces?: readonly string[];
};

function manifest(name: string, more: Manifest): string {
  return JSON.stringify({ name, version: "1.0.0", private: true, type: "module", ...more });
}

const react = { react: "19.3.1", "react-dom": "19.3.1" };

const next = (config: string, page: string): App["files"] => ({
  "package.json": manifest("next-app", {
    scripts: { dev: "next dev", build: "next build", start: "next start" },
    dependencies: { next: "16.4.6", ...react },
  }),
  "next.config.mjs": config,
  "app/layout.js":
    "export default function Layout({ children }) {\n  return <html lang='en'><body>{children}</body></html>;\n}\n",
  "app/page.js": page,
});

const nextExport = (options: string): App["files"] => {
  const page = (text: string) =>
    ["export default function Page() {\n  return <p>{`", text, " ${6 * 7}`}</p>;\n}\n"].join("");
  return {
    ...next(`export default { output: "export"${options} };\n`, page("from Next")),
    "app/docs/page.jsx": page("docs"),
    "app/docs/intro/page.jsx": page("intro"),
  };
};

const svelteShell =
  '<!doctype html>\n<html lang="en"><head>%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>\n';

const svelteKit = (adapter: string, version: string, page: string, options = ""): App["files"] => ({
  "package.json": manifest("svelte-app", {
    scripts: { dev: "vite dev", build: "vite build", preview: "vite preview" },
    dependencies: {
      "@sveltejs/kit": "3.2.0",
      [adapter]: version,
      "@sveltejs/vite-plugin-svelte": "7.3.1",
      svelte: "5.57.3",
      vite: "8.3.8",
    },
  }),
  "vite.config.js": `import adapter from "${adapter}";\nimport { sveltekit } from "@sveltejs/kit/vite";\nexport default { plugins: [sveltekit({ adapter: adapter(${options}) })] };\n`,
  "src/app.html": svelteShell,
  "src/routes/+page.svelte": page,
});

const astro = (config: string, more: Readonly<Record<string, string>>, page: string): App["files"] => ({
  "package.json": manifest("astro-app", {
    scripts: { dev: "astro dev", build: "astro build", preview: "astro preview" },
    dependencies: { astro: "7.3.5", ...more },
  }),
  "astro.config.mjs": config,
  "src/pages/index.astro": page,
});

/** @param build the command of the script `build` */
const nuxt = (build: string, config: string): App["files"] => ({
  "package.json": manifest("nuxt-app", {
    scripts: { build, dev: "nuxt dev" },
    dependencies: { nuxt: "4.5.2", vue: "3.5.45" },
  }),
  "nuxt.config.ts": config,
  "app/app.vue": "<template><p>from Nuxt {{ 6 * 7 }}</p></template>\n",
});

/** @param config the content of react-router.config.js */
const reactRouter = (config: string): App["files"] => ({
  "package.json": manifest("router-app", {
    scripts: {
      build: "react-router build",
      dev: "react-router dev",
      start: "react-router-serve ./build/server/index.js",
    },
    dependencies: {
      "@react-router/dev": "8.4.0",
      "@react-router/node": "8.4.0",
      "@react-router/serve": "8.4.0",
      "react-router": "8.4.0",
      isbot: "5.2.3",
      vite: "8.3.8",
      ...react,
    },
  }),
  "react-router.config.js": config,
  "vite.config.js":
    'import { reactRouter } from "@react-router/dev/vite";\nexport default { plugins: [reactRouter()] };\n',
  "app/routes.js": 'import { index } from "@react-router/dev/routes";\nexport default [index("home.jsx")];\n',
  "app/root.jsx":
    'import { Outlet } from "react-router";\nexport default function Root() {\n  return <html lang="en"><body><Outlet /></body></html>;\n}\n',
  "app/home.jsx": "export default function Home() {\n  return <p>{`from React Router ${6 * 7}`}</p>;\n}\n",
});

const remix: App["files"] = {
  "package.json": manifest("remix-app", {
    scripts: { build: "remix vite:build", start: "remix-serve ./build/server/index.js" },
    dependencies: {
      "@remix-run/dev": "2.17.5",
      "@remix-run/node": "2.17.5",
      "@remix-run/react": "2.17.5",
      "@remix-run/serve": "2.17.5",
      isbot: "5.2.3",
      react: "18.3.1",
      "react-dom": "18.3.1",
      vite: "6.4.6",
    },
  }),
  "vite.config.js":
    'import { vitePlugin as remix } from "@remix-run/dev";\nexport default { plugins: [remix()] };\n',
  "app/root.jsx":
    'import { Outlet } from "@remix-run/react";\nexport default function Root() {\n  return <html lang="en"><body><Outlet /></body></html>;\n}\n',
  "app/routes/_index.jsx": "export default function Home() {\n  return <p>{`from Remix ${6 * 7}`}</p>;\n}\n",
};

const tanstackStart: App["files"] = {
  "package.json": manifest("tanstack-app", {
    scripts: { dev: "vite dev", build: "vite build" },
    dependencies: {
      "@tanstack/react-router": "1.159.14",
      "@tanstack/react-start": "1.159.14",
      "@vitejs/plugin-react": "5.2.0",
      nitro: "3.0.0",
      vite: "7.3.8",
      ...react,
    },
  }),
  "vite.config.js":
    'import { tanstackStart } from "@tanstack/react-start/plugin/vite";\nimport react from "@vitejs/plugin-react";\nimport { nitro } from "nitro/vite";\nexport default { plugins: [tanstackStart(), nitro(), react()] };\n',
  "src/router.jsx":
    'import { createRouter } from "@tanstack/react-router";\nimport { routeTree } from "./routeTree.gen";\nexport const getRouter = () => createRouter({ routeTree });\n',
  "src/routes/__root.jsx":
    'import { createRootRoute, HeadContent, Outlet, Scripts } from "@tanstack/react-router";\nexport const Route = createRootRoute({ component: Root });\nfunction Root() {\n  return <html lang="en"><head><HeadContent /></head><body><Outlet /><Scripts /></body></html>;\n}\n',
  "src/routes/index.jsx":
    'import { createFileRoute } from "@tanstack/react-router";\nexport const Route = createFileRoute("/")({ component: () => <p>from TanStack Start</p> });\n',
};

const eleventy = { "@11ty/eleventy": "3.1.8" };

/** Two packages: `docs` needs `theme`. @param theme the version that `docs` asks for */
const monorepo = (theme: string): App["files"] => ({
  "packages/theme/package.json": manifest("theme", {}),
  "packages/theme/index.js": 'export const title = "from the package theme";\n',
  "apps/docs/package.json": manifest("docs", {
    scripts: { build: "eleventy" },
    dependencies: { ...eleventy, theme },
  }),
  "apps/docs/index.11ty.js":
    'import { title } from "theme";\nexport const render = () => `<p>${title}</p>`;\n',
});

/** The slowest first, so that none of them is last and alone. */
export const apps: readonly App[] = [
  {
    name: "TanStack Start",
    framework: "tanstack-start",
    app_type: "server",
    text: "from TanStack Start",
    files: tanstackStart,
  },
  {
    name: "Nuxt as a server",
    framework: "nuxt",
    app_type: "server",
    text: "from Nuxt 42",
    files: nuxt("nuxt build", "export default defineNuxtConfig({ telemetry: false });\n"),
  },
  {
    name: "Nuxt as a static site",
    framework: "nuxt",
    app_type: "static",
    text: "from Nuxt 42",
    files: nuxt("nuxt generate", "export default defineNuxtConfig({ telemetry: false });\n"),
  },
  {
    name: "Next.js as a server",
    framework: "next",
    app_type: "server",
    text: "from Next 42",
    files: next(
      "export default {};\n",
      'export const dynamic = "force-dynamic";\nexport default function Page() {\n  return <p>{`from Next ${6 * 7}`}</p>;\n}\n',
    ),
  },
  {
    name: "Next.js as a static export",
    framework: "next",
    app_type: "static",
    text: "from Next 42",
    files: nextExport(""),
    answers: {
      "/docs/intro": "intro 42",
      "/docs/intro/": "→ /docs/intro",
      "/docs": "docs 42",
      "/docs.html": "→ /docs",
      "/index.html": "→ /",
      "/nothing": "404",
    },
  },
  {
    name: "Next.js as a static export with slashes",
    framework: "next",
    app_type: "static",
    text: "from Next 42",
    files: nextExport(", trailingSlash: true"),
    answers: {
      "/docs/intro/": "intro 42",
      "/docs/intro": "→ /docs/intro/",
      "/docs": "→ /docs/",
      "/nothing": "404",
    },
  },
  {
    name: "React Router as a server",
    framework: "react-router",
    app_type: "server",
    text: "from React Router 42",
    files: reactRouter("export default {};\n"),
  },
  {
    name: "React Router as a static site",
    framework: "react-router",
    app_type: "static",
    text: "<script",
    files: reactRouter("export default { ssr: false };\n"),
    answers: { "/orders/7": "<script", "/orders.js": "404" },
  },
  {
    name: "Remix",
    framework: "remix",
    app_type: "server",
    text: "from Remix 42",
    files: remix,
  },
  {
    name: "Astro as a server",
    framework: "astro",
    app_type: "server",
    text: "from Astro 42",
    files: astro(
      'import node from "@astrojs/node";\nexport default { output: "server", adapter: node({ mode: "standalone" }) };\n',
      { "@astrojs/node": "11.1.6" },
      "<p>from Astro {6 * 7}</p>\n",
    ),
  },
  {
    name: "Astro as a static site",
    framework: "astro",
    app_type: "static",
    text: "from Astro 42",
    files: astro("export default {};\n", {}, "<p>from Astro {6 * 7}</p>\n"),
  },
  {
    name: "SvelteKit as its starter has it",
    framework: "sveltekit",
    app_type: "server",
    text: "from SvelteKit 42",
    files: {
      "package.json": manifest("svelte-app", {
        scripts: { dev: "vite dev", build: "vite build", preview: "vite preview" },
        dependencies: {
          "@sveltejs/kit": "2.70.4",
          "@sveltejs/adapter-auto": "7.0.1",
          "@sveltejs/vite-plugin-svelte": "7.3.1",
          svelte: "5.57.3",
          vite: "8.3.8",
        },
      }),
      "svelte.config.js":
        'import adapter from "@sveltejs/adapter-auto";\nexport default { kit: { adapter: adapter() } };\n',
      "vite.config.js":
        'import { sveltekit } from "@sveltejs/kit/vite";\nexport default { plugins: [sveltekit()] };\n',
      "src/app.html": svelteShell,
      "src/routes/+page.svelte": "<p>from SvelteKit {6 * 7}</p>\n",
    },
  },
  {
    name: "SvelteKit as a static site",
    framework: "sveltekit",
    app_type: "static",
    text: "from SvelteKit 42",
    files: {
      ...svelteKit(
        "@sveltejs/adapter-static",
        "4.0.1",
        "<p>from SvelteKit {6 * 7}</p><a href='/docs/intro'>x</a>\n",
      ),
      "src/routes/docs/intro/+page.svelte": "<p>intro {6 * 7}</p>\n",
      "src/routes/+layout.js": "export const prerender = true;\n",
    },
    answers: { "/docs/intro": "intro 42", "/docs/intro/": "→ /docs/intro", "/nothing": "404" },
  },
  {
    name: "SvelteKit as a single page with slashes",
    framework: "sveltekit",
    app_type: "static",
    text: "from SvelteKit 42",
    files: {
      ...svelteKit(
        "@sveltejs/adapter-static",
        "4.0.1",
        "<p>from SvelteKit {6 * 7}</p><a href='/docs/'>x</a>\n",
        '{ fallback: "app.html" }',
      ),
      "src/routes/+layout.js": 'export const trailingSlash = "always";\n',
      "src/routes/+page.js": "export const prerender = true;\n",
      "src/routes/docs/+page.svelte": "<p>docs {6 * 7}</p>\n",
      "src/routes/docs/+page.js": "export const prerender = true;\n",
      "src/routes/orders/[id]/+page.svelte": "<p>order</p>\n",
    },
    answers: {
      "/docs/": "docs 42",
      "/docs": "→ /docs/",
      "/orders/7/": "/_app/immutable/",
      "/orders/7": "/_app/immutable/",
      "/orders.js": "404",
    },
  },
  {
    name: "Eleventy",
    framework: "eleventy",
    app_type: "static",
    text: "from Eleventy",
    files: {
      "package.json": manifest("eleventy-app", { scripts: { build: "eleventy" }, dependencies: eleventy }),
      "index.md": "# from Eleventy\n",
    },
  },
  {
    name: "a package of an npm workspace",
    framework: "eleventy",
    app_type: "static",
    text: "from the package theme",
    root_directory: "apps/docs",
    files: {
      ...monorepo("1.0.0"),
      "package.json": manifest("monorepo", { workspaces: ["apps/*", "packages/*"] }),
    },
  },
  {
    name: "a package of a pnpm workspace",
    framework: "eleventy",
    app_type: "static",
    text: "from the package theme",
    root_directory: "apps/docs",
    files: {
      ...monorepo("workspace:*"),
      "package.json": manifest("monorepo", { packageManager: "pnpm@12.21.0" }),
      "pnpm-workspace.yaml": "packages:\n  - apps/*\n  - packages/*\n",
    },
  },
  {
    name: "Vite",
    framework: "vite",
    app_type: "static",
    text: "from Vite",
    files: {
      "package.json": manifest("vite-app", {
        scripts: { build: "vite build" },
        dependencies: { vite: "8.3.8" },
      }),
      "vite.config.js": 'export default { build: { outDir: "www" } };\n',
      "index.html": '<!doctype html>\n<p>from Vite</p>\n<script type="module" src="/main.js"></script>\n',
      "main.js": 'console.log("loaded");\n',
    },
  },
  {
    name: "Express",
    framework: "express",
    app_type: "server",
    text: "from Express 42",
    files: {
      "package.json": manifest("express-app", {
        scripts: { start: "node app.js" },
        dependencies: { express: "5.3.0" },
      }),
      "app.js":
        'import express from "express";\nconst app = express();\napp.get("/", (_request, response) => response.send(`from Express ${6 * 7}`));\napp.listen(Number(process.env.PORT), "127.0.0.1");\n',
    },
  },
  {
    name: "Express beside Vite",
    framework: "vite",
    app_type: "server",
    text: "from Express and Vite 42",
    files: {
      "package.json": manifest("vite-express-app", {
        scripts: { dev: "vite", build: "vite build", start: "node server.js", preview: "vite preview" },
        dependencies: { express: "5.3.0", vite: "8.3.8" },
      }),
      "index.html": '<!doctype html>\n<p>source</p>\n<script type="module" src="/main.js"></script>\n',
      "main.js": 'console.log("loaded");\n',
      "server.js":
        'import express from "express";\nconst app = express();\napp.get("/", (_request, response) => response.send(`from Express and Vite ${6 * 7}`));\napp.use(express.static("dist"));\napp.listen(Number(process.env.PORT), "127.0.0.1");\n',
    },
  },
  {
    name: "Nitro",
    framework: "nitro",
    app_type: "server",
    text: "from Nitro 42",
    files: {
      "package.json": manifest("nitro-app", {
        scripts: { build: "nitro build", dev: "nitro dev", preview: "node .output/server/index.mjs" },
        dependencies: { nitropack: "2.13.6", h3: "1.15.4" },
      }),
      "nitro.config.ts": 'export default { compatibilityDate: "2025-01-01", srcDir: "server" };\n',
      "server/routes/index.ts":
        'import { eventHandler } from "h3";\nexport default eventHandler(() => `from Nitro ${6 * 7}`);\n',
    },
  },
  {
    name: "a bundler that has no preset",
    framework: "node",
    app_type: "static",
    text: "from esbuild",
    files: {
      "package.json": manifest("esbuild-app", {
        scripts: { build: "esbuild main.js --bundle --outdir=bundled && cp page.html bundled/index.html" },
        dependencies: { esbuild: "0.28.2" },
      }),
      "page.html": '<!doctype html>\n<p>from esbuild</p>\n<script src="/main.js"></script>\n',
      "main.js": 'console.log("loaded");\n',
    },
  },
  {
    name: "a plain site",
    framework: "static",
    app_type: "static",
    text: "a plain page",
    files: { "index.html": "a plain page\n" },
  },
];
