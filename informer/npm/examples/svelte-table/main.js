import { mount } from "svelte";
import { connect } from "kube-informer";
import Pods from "./Pods.svelte";

async function main() {
  const target = document.querySelector("#app");
  try {
    const factory = await connect();
    mount(Pods, { target, props: { factory } });
  } catch (error) {
    target.textContent = error.message;
  }
}

main();
