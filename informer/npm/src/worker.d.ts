// Entry of the worker that hosts the engine. It exports nothing: importing it serves the ports that are sent to it.
export {};
