import { family } from "./lifecycle_rows.ts";
import { testFamily } from "./table.ts";

testFamily(family);
