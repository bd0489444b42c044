import { render } from "preact";

import { App } from "#dashboard/app.tsx";
import { followAppearance } from "#dashboard/data/appearance.ts";

followAppearance();
const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
