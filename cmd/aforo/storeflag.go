package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/aforo-dev/aforo/cmd/aforo/internal/config"
)

// addStoreFlag adds --store. A password is better in AFORO_STORE, which no list of
// processes shows.
func addStoreFlag(cmd *cobra.Command, store *string) {
	cmd.Flags().StringVar(store, "store", "",
		"where states are kept: memory, or Redis as in redis://127.0.0.1:6379 (default: AFORO_STORE, that of the file, or memory)")
}

// storeAddress is the store that the flag names, or AFORO_STORE; "" if neither does.
func storeAddress(flag string) (string, error) {
	name := "--store"
	if flag == "" {
		name, flag = "AFORO_STORE", os.Getenv("AFORO_STORE")
	}
	if flag == "" {
		return "", nil
	}
	if err := config.CheckStore(flag); err != nil {
		return "", usageError("%s: %v", name, err)
	}
	return flag, nil
}
