import { beforeEach } from "vitest";

import "./request-limits.ts";
import { prepareStorage } from "./storage.ts";

beforeEach(prepareStorage);
