module github.com/aforo-dev/aforo

go 1.23
