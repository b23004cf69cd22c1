// Worker of the demo: the engine, on a network whose only server is the simulated cluster.
//
// The order matters: the engine's first request must find the other `fetch`.
import './network.js';
import '../kube-informer/worker.js';
