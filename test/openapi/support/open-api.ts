import { openApiDocument } from "../../../scripts/reference/openapi/document.ts";
import { Document } from "../../../scripts/reference/html/document.ts";

/** The document as the Worker serves it: both are made from the contract alone. */
export const openApi = openApiDocument("test");
export const document = new Document(openApi);
