// wrangler runs this before each build (wrangler.toml).
import { assetsFolder, buildAssets } from "./reference/build-assets.ts";

await buildAssets(assetsFolder);
