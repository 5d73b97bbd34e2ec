import { NewMemoryStore } from "../../src/jobs/memory.ts";
import { testStore } from "./store_contract.ts";

testStore("memory", () => {
  const store = NewMemoryStore();
  return { store, other: store, close: () => store.Close() };
});
