package main

import "github.com/spf13/cobra"

// addOutputFlag adds the flag that commands with a result have in common.
func addOutputFlag(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVarP(output, "output", "o", "text", "how to print the result: text or json")
}

func checkOutput(output string) error {
	if output != "text" && output != "json" {
		return usageError("--output %q: there are text and json; for example: --output json", output)
	}
	return nil
}
