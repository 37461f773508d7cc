// Command flightdesk is a terminal app for drone-survey orders.
package main

import (
	"os"

	"flightdesk/tui/cli"
)

func main() { os.Exit(cli.Main()) }
