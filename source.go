package aforo

import "fmt"

// A Source is who gave an answer.
type Source uint8

// The sources of a decision. All but the first two are what OnStoreFailure
// declares, when the store has failed.
const (
	SourceStore      Source = iota // the limiter's store
	SourceRemembered               // a refusal by the store that still holds, remembered in this process
	SourceLocal                    // this process's share of the limit: FailLocal
	SourceAllow                    // nobody has counted: FailAllow
	SourceDeny                     // nobody has counted: FailDeny
)

// String is the source's name, such as store.
func (s Source) String() string {
	names := [...]string{"store", "remembered", "local", "allow", "deny"}
	if int(s) >= len(names) {
		return fmt.Sprintf("Source(%d)", uint8(s))
	}
	return names[s]
}
