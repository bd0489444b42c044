import { beforeEach } from "vitest";

import { prepareStorage } from "./storage.ts";

beforeEach(prepareStorage);
