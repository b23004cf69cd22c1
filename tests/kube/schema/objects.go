package main

import "bufio"

func objects(out *bufio.Writer, args []string) {}
