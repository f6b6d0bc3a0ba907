package api

// ProblemType is the media type of a Problem.
const ProblemType = "application/problem+json"

// A Problem says why there is no decision, as RFC 9457 has it.
type Problem struct {
	Type   string `json:"type"` // about:blank: the status says it all
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`

	Field    string   `json:"field,omitempty"`    // the field of the request that is wrong
	Value    string   `json:"value,omitempty"`    // what is wrong, as it was sent
	Example  string   `json:"example,omitempty"`  // a good one
	Policies []string `json:"policies,omitempty"` // the policies that there are
	Doors    []string `json:"doors,omitempty"`    // the methods and paths that there are
}
