package redistest

import "strconv"

// An Option changes how a server is started.
type Option func(*settings)

// settings are what options set.
type settings struct {
	directives     [][]string
	user, password string
	environment    []string
	tls, clock     bool
}

// Config adds a directive of redis.conf with its values (for example:
// Config("maxmemory-policy", "allkeys-lru")). Later ones win over earlier ones
// and over this package's: no persistence, no snapshots.
func Config(directive string, values ...string) Option {
	return func(s *settings) {
		s.directives = append(s.directives, append([]string{directive}, values...))
	}
}

// Password is asked of the default user.
func Password(password string) Option {
	return func(s *settings) {
		s.password = password
		Config("requirepass", password)(s)
	}
}

// User switches the default user off and makes another, with rules of the
// access control list (for example: User("aforo", "secret", "~aforo:*",
// "+eval", "+evalsha")). The package's own checks go as a third, who may do
// everything, so the rules can be as narrow as a test wants.
func User(name, password string, rules ...string) Option {
	return func(s *settings) {
		s.user, s.password = name, password
		Config("user", "default", "off")(s)
		Config("user", checker, "on", ">"+checkerPassword, "~*", "&*", "+@all")(s)
		Config("user", append([]string{name, "on", ">" + password}, rules...)...)(s)
	}
}

// The user of the package's own checks, beside one made by User.
const (
	checker         = "redistest"
	checkerPassword = "for checks only"
)

// TLS has the server speak nothing but TLS, with a certificate for 127.0.0.1
// and localhost by an authority that is made for it.
func TLS() Option { return func(s *settings) { s.tls = true } }

// Persistent writes every change to disk before it is answered, so that
// nothing is lost when the server is killed and restarted.
func Persistent() Option {
	return func(s *settings) {
		Config("appendonly", "yes")(s)
		Config("appendfsync", "always")(s)
	}
}

// SteppableClock lets StepClock set the server's wall clock back and forward.
// It needs a C compiler, cc (for example: apt-get install gcc libc6-dev).
func SteppableClock() Option { return func(s *settings) { s.clock = true } }

// Environment sets a variable for the server (for example: Environment("TZ",
// "Asia/Kolkata")).
func Environment(name, value string) Option {
	return func(s *settings) { s.environment = append(s.environment, name+"="+value) }
}

// configuration is the text of redis.conf.
func configuration(directives [][]string) (text []byte) {
	for _, directive := range directives {
		text = append(text, directive[0]...)
		for _, value := range directive[1:] {
			text = strconv.AppendQuote(append(text, ' '), value)
		}
		text = append(text, '\n')
	}
	return text
}
