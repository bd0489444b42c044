// Called by wrangler before each build, as wrangler.toml says.
import { assetsFolder, buildAssets } from "./reference/build-assets.ts";

await buildAssets(assetsFolder);
